// SPDX-License-Identifier: GPL-2.0-only
/* A service and its clients in one process: requests over HTTP to a pool of threads, which parse,
 * sort, hash, pack and look up, with lambdas, streams, exceptions and garbage. */
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;

public class JavaService {
    static final Pattern PAIR = Pattern.compile("(\\w+)=(\\w+)&?");
    static final Map<String, Integer> seen = new ConcurrentHashMap<>();

    static List<String> parse(String query) {
        List<String> values = new ArrayList<>();
        Matcher m = PAIR.matcher(query);

        while (m.find())
            values.add(m.group(1) + ":" + m.group(2));
        return values;
    }

    static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return text.length();
        }
    }

    static String answer(String query) throws Exception {
        String text = parse(query).stream().map(v -> v + number(v) + seen.merge(v, 1, Integer::sum))
                .sorted((a, b) -> b.compareTo(a)).collect(Collectors.joining(","));
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        ByteArrayOutputStream packed = new ByteArrayOutputStream();

        try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        if (seen.size() > 20000)
            seen.clear();
        return String.format("%d %02x %d%n", packed.size(), sum[0], text.hashCode());
    }

    static void handle(HttpExchange x) {
        try (x) {
            byte[] body = answer(x.getRequestURI().getQuery()).getBytes(StandardCharsets.UTF_8);

            x.sendResponseHeaders(200, body.length);
            x.getResponseBody().write(body);
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    static void asks(int port, int seed) {
        for (int i = seed;; i++) {
            int n = i;
            String query = IntStream.range(0, 20).mapToObj(k -> "k" + k + "=" + (n * 31 + k) % 997)
                    .collect(Collectors.joining("&"));

            try (InputStream in = new URL("http://127.0.0.1:" + port + "/?" + query).openStream()) {
                in.readAllBytes();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);

        server.createContext("/", JavaService::handle);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            int seed = i * 1000;

            new Thread(() -> asks(server.getAddress().getPort(), seed), "client " + i).start();
        }
        System.out.println("ready");
    }
}
