import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Asks for each path, all at the same time. Prints the version, status and body of each answer. */
public class Client {
    public static void main(String[] arguments) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = new FileInputStream(arguments[1])) {
            store.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        var client = HttpClient.newBuilder().sslContext(context).version(HttpClient.Version.HTTP_2).build();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (var path : Arrays.copyOfRange(arguments, 2, arguments.length)) {
            var parts = path.split(" ");
            var request = HttpRequest.newBuilder(URI.create(arguments[0] + parts[parts.length - 1]));
            if (parts.length == 2) request.POST(HttpRequest.BodyPublishers.ofString("abc"));
            answers.add(client.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(answer ->
                (answer.version() == HttpClient.Version.HTTP_2 ? "2 " : "1 ") + answer.statusCode() + " " + answer.body()));
        }
        for (var answer : answers) System.out.println(answer.get());
    }
}
