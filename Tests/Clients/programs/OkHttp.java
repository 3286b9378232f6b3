import okhttp3.OkHttpClient;
import okhttp3.Request;

/** Prints what a URL answers, by OkHttp. */
class OkHttp {
    public static void main(String[] arguments) throws Exception {
        var client = new OkHttpClient();
        try (var response = client.newCall(new Request.Builder().url(arguments[0]).build()).execute()) {
            System.out.println(response.body().string());
        }
        System.exit(0);
    }
}
