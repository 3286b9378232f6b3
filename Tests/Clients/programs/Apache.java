import org.apache.http.client.methods.HttpGet;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.EntityUtils;

/** Prints what a URL answers, by Apache's HttpClient 4: with "system" first, by the properties of the system. */
class Apache {
    public static void main(String[] arguments) throws Exception {
        var client = arguments[0].equals("system") ? HttpClients.createSystem() : HttpClients.createDefault();
        System.out.println(EntityUtils.toString(client.execute(new HttpGet(arguments[1])).getEntity()));
    }
}
