import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.ProxySelector;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/** Sends files and forms, and downloads in ranges: Client URL forward|backward. As client.py does. */
class Client {
    private static final int SIZE = 300_000;
    private static final HttpClient client =
        HttpClient.newBuilder().proxy(proxy()).version(HttpClient.Version.HTTP_1_1).build();

    private interface Job {
        void run() throws Exception;
    }

    private static ProxySelector proxy() {
        URI proxy = URI.create(System.getenv("http_proxy"));
        return ProxySelector.of(new InetSocketAddress(proxy.getHost(), proxy.getPort()));
    }

    private static byte[] content(String name) {
        var bytes = new ByteArrayOutputStream();
        for (int round = 0; round < 40; round++) {
            bytes.writeBytes(name.repeat(7).getBytes());
            for (int value = 0; value < 256; value++) bytes.write(value);
        }
        return bytes.toByteArray();
    }

    private static byte[] ask(HttpRequest request) throws Exception {
        var response = client.send(request, BodyHandlers.ofByteArray());
        if (response.statusCode() >= 300) throw new Exception(response + new String(response.body()));
        return response.body();
    }

    private static String post(String url, String type, byte[] body) throws Exception {
        return new String(ask(HttpRequest.newBuilder(URI.create(url)).header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body)).build()));
    }

    public static void main(String[] arguments) throws Exception {
        String url = arguments[0];
        boolean isForward = arguments[1].equals("forward");
        int piece = isForward ? 65_536 : 50_000;
        var lines = new ArrayList<String>();
        var pieces = new TreeMap<Integer, byte[]>();
        var jobs = new ArrayList<Job>();
        for (String name : List.of("a", "b", "c")) {
            jobs.add(() -> {
                String boundary = UUID.randomUUID().toString();
                var body = new ByteArrayOutputStream();
                body.writeBytes(("--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name
                    + ".bin\"\r\nContent-Type: application/octet-stream\r\n\r\n").getBytes());
                body.writeBytes(content(name));
                body.writeBytes(("\r\n--" + boundary + "\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nof " + name
                    + "\r\n--" + boundary + "--\r\n").getBytes());
                lines.add("upload " + name + " "
                    + post(url + "/upload", "multipart/form-data; boundary=" + boundary, body.toByteArray()));
            });
            jobs.add(() -> {
                var fields = new ArrayList<String>(List.of("name=" + name,
                    "text=" + URLEncoder.encode("naïve & more", StandardCharsets.UTF_8), "tag=1", "tag=2"));
                if (!isForward) Collections.rotate(fields, -1);
                lines.add("form " + name + " "
                    + post(url + "/form", "application/x-www-form-urlencoded", String.join("&", fields).getBytes()));
            });
        }
        for (int start = 0; start < SIZE; start += piece) {
            int from = start;
            String range = "bytes=" + from + "-" + (Math.min(from + piece, SIZE) - 1);
            jobs.add(() ->
                pieces.put(from, ask(HttpRequest.newBuilder(URI.create(url + "/blob")).header("Range", range).build())));
        }
        if (!isForward) Collections.reverse(jobs);
        for (Job job : jobs) job.run();
        Collections.sort(lines);
        lines.forEach(System.out::println);
        var body = new ByteArrayOutputStream();
        pieces.values().forEach(body::writeBytes);
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(body.toByteArray());
        System.out.println("download " + body.size() + " " + HexFormat.of().formatHex(digest));
    }
}
