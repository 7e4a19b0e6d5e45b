import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Reads an offset file as Kafka's standalone worker does, prints it in order, adds an entry and writes it back. */
public class OffsetFile {
    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        Object read;
        try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(path))) {
            read = in.readObject();
        }
        if (read.getClass() != HashMap.class) {
            throw new IllegalStateException("a " + read.getClass());
        }
        @SuppressWarnings("unchecked")
        Map<byte[], byte[]> map = (Map<byte[], byte[]>) read;
        Map<String, String> sorted = new TreeMap<>();
        for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
            byte[] value = entry.getValue();
            sorted.put(text(entry.getKey()), value == null ? "null" : text(value));
        }
        sorted.forEach((key, value) -> System.out.println(key + "=" + value));
        map.put("[\"java\",{\"p\":1}]".getBytes(StandardCharsets.UTF_8), "{\"o\":99}".getBytes(StandardCharsets.UTF_8));
        try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(path))) {
            out.writeObject(map);
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
