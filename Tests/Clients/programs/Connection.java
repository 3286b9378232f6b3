import java.net.URL;

/** Prints what a URL answers, by the JDK's oldest client. */
class Connection {
    public static void main(String[] arguments) throws Exception {
        try (var stream = new URL(arguments[0]).openConnection().getInputStream()) {
            stream.transferTo(System.out);
        }
        System.out.flush();
    }
}
