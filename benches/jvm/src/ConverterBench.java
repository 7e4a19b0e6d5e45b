import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.storage.Converter;

/**
 * Measures Apache's converters on the records that the Rust benchmarks export.
 *
 * <p>Reads one of the JSON lines {@code {"name":…,"config":{…},"schema":…,"value":…,"bytes":hex}} and adds
 * two to the results: {@code {"name":"…/decode","ns":1275.0}} and {@code {"name":"…/encode","ns":1029.0}}: CPU time of
 * the thread per operation, the best of several rounds after a warm-up. One record a process: what the
 * compiler learned from another record would slow this one down.
 */
public final class ConverterBench {
    private static final String TOPIC = "bench";
    private static final long WARM_UP_NS = 3_000_000_000L;
    private static final long ROUND_NS = 400_000_000L;
    private static final int ROUNDS = 7;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Where results go, so that the compiler cannot leave the work out. */
    private static volatile Object sink;

    private ConverterBench() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3) {
            System.err.println("usage: java ConverterBench RECORDS.jsonl LINE RESULTS.jsonl");
            System.exit(2);
        }
        String line = Files.readAllLines(Path.of(arguments[0])).get(Integer.parseInt(arguments[1]));
        ObjectMapper mapper = new ObjectMapper();
        JsonNode record = mapper.readTree(line);
        List<String> results = new ArrayList<>();
        try (Closing closing = new Closing(converter(record))) {
            for (Map.Entry<String, Runnable> work : work(record, closing.converter()).entrySet()) {
                double ns = measure(work.getValue());
                String name = record.get("name").asText() + "/" + work.getKey();
                System.out.printf("%-40s %10.1f ns%n", name, ns);
                results.add(mapper.writeValueAsString(new TreeMap<>(Map.of("name", name, "ns", ns))));
            }
        }
        Files.write(Path.of(arguments[2]), results, CREATE, APPEND);
    }

    /** The converter of a record, configured for values. */
    private static Converter converter(JsonNode record) {
        Map<String, Object> config = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : record.path("config").properties()) {
            config.put(entry.getKey(), entry.getValue().asText());
        }
        Converter converter = new JsonConverter();
        converter.configure(config, false);
        return converter;
    }

    /** What is measured: reading the record's bytes, and writing its value. */
    private static Map<String, Runnable> work(JsonNode record, Converter converter) {
        byte[] bytes = HexFormat.of().parseHex(record.get("bytes").asText());
        Schema schema = Tagged.schema(record.get("schema"));
        Object value = Tagged.value(schema, record.get("value"));
        Map<String, Runnable> work = new LinkedHashMap<>();
        work.put("decode", () -> sink = converter.toConnectData(TOPIC, bytes));
        work.put("encode", () -> sink = converter.fromConnectData(TOPIC, schema, value));
        return work;
    }

    /** CPU nanoseconds per run. */
    private static double measure(Runnable work) {
        long runs = 1;
        long start = cpu();
        // Doubling batches, so that looking at the clock costs nothing in the end.
        for (long spent = 0; spent < WARM_UP_NS; spent = cpu() - start) {
            repeat(work, runs);
            runs = Math.min(runs * 2, 1L << 20);
        }
        long before = cpu();
        repeat(work, runs);
        double estimate = Math.max(1.0, (double) (cpu() - before) / runs);
        long perRound = Math.max(1, (long) (ROUND_NS / estimate));
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long begin = cpu();
            repeat(work, perRound);
            best = Math.min(best, (double) (cpu() - begin) / perRound);
        }
        return best;
    }

    private static void repeat(Runnable work, long runs) {
        for (long run = 0; run < runs; run++) {
            work.run();
        }
    }

    private static long cpu() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Closes a converter at the end of a try block. */
    private record Closing(Converter converter) implements AutoCloseable {
        @Override
        public void close() {
            try {
                converter.close();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }
}
