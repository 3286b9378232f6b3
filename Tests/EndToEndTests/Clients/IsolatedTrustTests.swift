import Foundation
import TestShare
import Testing

/// Roots of their own that programs trust, which lie elsewhere than the system's file, in an isolated command.
@Suite(.ownThreads, .enabled(if: Kernel.isolates, "the kernel lets nobody make user namespaces here"))
struct IsolatedTrustTests {
    private static func succeeds(_ command: [String]) -> Bool {
        (try? TestFolder().run(command))?.exitCode == 0
    }

    /// Linux lets users merge folders from 5.11 on.
    private static let mergesFolders =
        FileManager.default.fileExists(atPath: "/etc/ssl/certs")
        && succeeds(
            ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "overlay", "overlay"]
                + ["-o", "ro,lowerdir=/usr:/etc/ssl/certs", "/etc/ssl/certs"]
        )

    /// Records what a client asks of an origin, and replays it.
    private static func expectTrust(_ folder: TestFolder, _ command: @escaping (String) -> [String]) throws {
        let (live, played) = try IsolationTests.roundTrip(folder) { url in
            ["env", "-u", "JAVA_TOOL_OPTIONS", "-u", "SSL_CERT_FILE"] + command(url)
        }
        #expect(live.outputText == #"{"count":1}"#, "\(live.errorText)")
        expectSame(played.output, live.output)
    }

    private static let java = """
        import java.net.URL;

        public class Client {
            public static void main(String[] words) throws Exception {
                new URL(words[0]).openStream().transferTo(System.out);
                System.out.flush();
            }
        }
        """

    @Test(.long, .enabled(if: succeeds(["javac", "-version"]), "a JDK is not installed"))
    func `Java's own store trusts the deck`() throws {
        let folder = try TestFolder()
        let source = try folder.write(Self.java, to: "Client.java")
        try #require(try folder.run(["javac", "-d", folder.path, source]).exitCode == 0)
        try Self.expectTrust(folder) { ["java", "-cp", folder.path, "Client", $0] }
    }

    @Test(
        .long,
        .enabled(if: succeeds(["keytool", "-list", "-cacerts", "-storepass", "changeit"]), "keytool is missing")
    )
    func `Java's own store opens with its usual password`() throws {
        let folder = try TestFolder()
        let list = ["env", "-u", "JAVA_TOOL_OPTIONS", "keytool", "-list", "-v", "-cacerts", "-storepass", "changeit"]
        let result = try folder.tapedeck(["passthrough", "--isolate", "always", "--"] + list)
        #expect(result.exitCode == 0 && result.outputText.contains("Tapedeck"), "\(result.outputText)")
    }

    private static let folderClient = """
        import ssl, sys, urllib.request

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(capath="/etc/ssl/certs")
        sys.stdout.buffer.write(urllib.request.urlopen(sys.argv[1], context=context).read())
        """

    @Test(
        .long,
        .enabled(if: mergesFolders, "there is no folder of roots, or the kernel does not let users merge folders")
    )
    func `OpenSSL finds the authority in the folder of roots`() throws {
        try Self.expectTrust(try TestFolder()) { ["python3", "-c", Self.folderClient, $0] }
    }

    private static let qt = """
        import sys
        from PyQt5.QtCore import QCoreApplication, QUrl
        from PyQt5.QtNetwork import QNetworkAccessManager, QNetworkRequest

        application = QCoreApplication([])
        manager = QNetworkAccessManager()
        answer = manager.get(QNetworkRequest(QUrl(sys.argv[1])))
        answer.finished.connect(application.quit)
        application.exec_()
        if answer.error(): sys.exit(answer.errorString())
        sys.stdout.buffer.write(bytes(answer.readAll()))
        """

    @Test(
        .enabled(
            if: mergesFolders && succeeds(["/usr/bin/python3", "-c", "import PyQt5.QtNetwork"]),
            "PyQt5 is not installed, or the kernel does not let users merge folders"
        )
    )
    func `Qt trusts the deck`() throws {
        try Self.expectTrust(try TestFolder()) { ["/usr/bin/python3", "-c", Self.qt, $0] }
    }
}
