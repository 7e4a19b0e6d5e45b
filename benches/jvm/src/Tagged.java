import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Date;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;

/**
 * The tagged form of Connect schemas and values: JSON in which every value says its type, for example
 * {@code {"int64":"7"}}. The same form stands in the golden vectors and in what the Rust side exports.
 */
final class Tagged {
    private Tagged() {}

    /** The schema of a tagged schema; null for null. */
    static Schema schema(JsonNode tagged) {
        if (tagged == null || tagged.isNull()) {
            return null;
        }
        Schema.Type type = Schema.Type.valueOf(tagged.get("type").asText().toUpperCase());
        SchemaBuilder builder = builder(type, tagged);
        if (tagged.path("optional").asBoolean()) {
            builder.optional();
        }
        if (tagged.has("name")) {
            builder.name(tagged.get("name").asText());
        }
        if (tagged.has("version")) {
            builder.version(tagged.get("version").asInt());
        }
        if (tagged.has("doc")) {
            builder.doc(tagged.get("doc").asText());
        }
        for (Map.Entry<String, JsonNode> entry : tagged.path("parameters").properties()) {
            builder.parameter(entry.getKey(), entry.getValue().asText());
        }
        for (JsonNode field : tagged.path("fields")) {
            builder.field(field.get("name").asText(), schema(field.get("schema")));
        }
        if (tagged.has("default")) {
            builder.defaultValue(value(builder, tagged.get("default")));
        }
        return builder.build();
    }

    private static SchemaBuilder builder(Schema.Type type, JsonNode tagged) {
        return switch (type) {
            case ARRAY -> SchemaBuilder.array(schema(tagged.get("values")));
            case MAP -> SchemaBuilder.map(schema(tagged.get("keys")), schema(tagged.get("values")));
            default -> new SchemaBuilder(type);
        };
    }

    /** The Java object of a tagged value; the schema is needed for structs only. */
    static Object value(Schema schema, JsonNode tagged) {
        if (tagged == null || tagged.isNull()) {
            return null;
        }
        Map.Entry<String, JsonNode> only = tagged.properties().iterator().next();
        JsonNode inside = only.getValue();
        return switch (only.getKey()) {
            case "boolean" -> inside.asBoolean();
            case "int8" -> (byte) inside.asInt();
            case "int16" -> (short) inside.asInt();
            case "int32" -> inside.asInt();
            case "int64" -> Long.parseLong(inside.asText());
            case "float32" -> Float.intBitsToFloat(Integer.parseUnsignedInt(bits(tagged), 16));
            case "float64" -> Double.longBitsToDouble(Long.parseUnsignedLong(bits(tagged), 16));
            case "string" -> inside.asText();
            case "utf16" -> utf16(inside.asText());
            case "bytes" -> HexFormat.of().parseHex(inside.asText());
            case "decimal" -> new BigDecimal(
                    new BigInteger(inside.get("unscaled").asText()), inside.get("scale").asInt());
            case "date", "time", "timestamp" -> new Date(inside.asLong());
            case "array" -> list(schema, inside);
            case "map" -> map(schema, inside);
            case "struct" -> struct(schema, inside);
            default -> throw new IllegalArgumentException("unknown tag " + only.getKey());
        };
    }

    private static String bits(JsonNode tagged) {
        return tagged.get("bits").asText();
    }

    private static String utf16(String hex) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < hex.length(); at += 4) {
            text.append((char) Integer.parseInt(hex.substring(at, at + 4), 16));
        }
        return text.toString();
    }

    private static List<Object> list(Schema schema, JsonNode items) {
        Schema element = schema == null ? null : schema.valueSchema();
        List<Object> list = new ArrayList<>();
        items.forEach(item -> list.add(value(element, item)));
        return list;
    }

    private static Map<Object, Object> map(Schema schema, JsonNode entries) {
        Schema keys = schema == null ? null : schema.keySchema();
        Schema values = schema == null ? null : schema.valueSchema();
        Map<Object, Object> map = new LinkedHashMap<>();
        entries.forEach(entry -> map.put(value(keys, entry.get(0)), value(values, entry.get(1))));
        return map;
    }

    private static Struct struct(Schema schema, JsonNode fields) {
        Struct struct = new Struct(schema);
        for (JsonNode field : fields) {
            String name = field.get(0).asText();
            struct.put(name, value(schema.field(name).schema(), field.get(1)));
        }
        return struct;
    }
}
