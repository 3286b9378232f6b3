import Foundation
import TestShare
import Testing

/// Clients that read neither proxy variables nor bundles, and are reached by small files of a run.
@Suite(.ownThreads) struct ClientFilesTests {
    private static func isInstalled(_ program: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test func `the user's environment is extended`() throws {
        let folder = try TestFolder()
        let wgetrc = try folder.write("tries = 7", to: "wgetrc")
        let own = [
            "NODE_OPTIONS": "--max-old-space-size=512", "JAVA_TOOL_OPTIONS": "-Dmine=1", "PHP_INI_SCAN_DIR": "/mine",
            "DART_VM_OPTIONS": "--mine", "ERL_AFLAGS": "-mine", "SYSTEM_WGETRC": wgetrc,
        ]
        let result = try folder.run(
            Tapedeck.command([
                "record", "x", "--", "sh", "-c", #"env; cat "$SYSTEM_WGETRC"; ls "${PHP_INI_SCAN_DIR#*:}""#,
            ]),
            environment: own
        )
        #expect(result.exitCode == 0, "\(result.errorText)")
        for (name, value) in own where name != "SYSTEM_WGETRC" {
            #expect(result.outputText.contains("\(name)=\(value)"), "\(name)")
        }
        #expect(result.outputText.contains("tries = 7\nca_certificate = "))
        for name in ["preload.cjs", "prepend.php", "tapedeck.ini", "trust.p12"] {
            #expect(result.outputText.contains("\n\(name)\n"), "\(name)")
        }
        // They lived as long as the command.
        let store = try #require(result.outputText.firstMatch(of: #/javax.net.ssl.trustStore="([^"]+)"/#))
        #expect(!FileManager.default.fileExists(atPath: String(store.1)))
    }

    @Test func `the hook for Node is that of the package for Node`() throws {
        for name in ["preload", "routing", "tunnel"] {
            let ours = Self.repository.appendingPathComponent("Sources/TapedeckDeck/ClientFiles/Hooks/\(name).cjs")
            let theirs = Self.repository.appendingPathComponent("Packages/node-tapedeck/lib/\(name).cjs")
            #expect(try Data(contentsOf: ours) == Data(contentsOf: theirs), "copy \(theirs.path) to \(ours.path)")
        }
    }

    /// Programs that take the URL as their last argument.
    private static let clients: [(program: String, arguments: [String])] = [
        ("node", ["-e", "fetch(process.argv[1]).then(a => a.text()).then(t => process.stdout.write(t))"]),
        ("wget", ["-qO-"]),
    ]

    @Test(.long, arguments: ["node", "wget"].filter(isInstalled))
    func `a client without settings is recorded and replayed`(program: String) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let client = try #require(Self.clients.first { $0.program == program })
        let command = ["--", client.program] + client.arguments + [origin.url("/counter", .https)]
        let live = try folder.tapedeck(["record", "x", "--upstream-ca", origin.authorityPath] + command)
        #expect(live.errorText.contains("1 exchange recorded"), "\(live.errorText)")
        #expect(live.outputText == #"{"count":1}"#)
        try origin.stop()
        let played = try folder.tapedeck(["replay", "x"] + command)
        #expect(played.exitCode == 0, "\(played.errorText)")
        expectSame(played.output, live.output)
    }

    @Test(.long, .enabled(if: isInstalled("keytool"))) func `Java reads the trust store`() throws {
        let folder = try TestFolder()
        let script = #"""
            options=$(printf %s "$JAVA_TOOL_OPTIONS"); unset JAVA_TOOL_OPTIONS
            store=$(printf %s "$options" | sed 's/.*trustStore="\([^"]*\)".*/\1/')
            keytool -list -keystore "$store" -storepass changeit
            """#
        let result = try folder.tapedeck(["record", "x", "--", "sh", "-c", script])
        #expect(result.outputText.contains("trustedCertEntry"), "\(result.outputText)\(result.errorText)")
    }

    @Test(.long, arguments: Browser.allCases.filter(\.isInstalled)) func `a page with ten assets in a browser`(
        _ browser: Browser
    ) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let assets = (0..<10).map { "<img src='\(origin.url("/counter?key=\($0)", .https))'>" }.joined()
        // The browser requests the icon at an unpredictable time.
        let page = try folder.write("<link rel=icon href=data:,>\(assets)", to: "page.html")
        let arguments = ["--browser", browser.rawValue, "--"] + browser.ending(in: folder) + ["file://\(page)"]
        let live = try folder.tapedeck(["record", "x", "--upstream-ca", origin.authorityPath] + arguments)
        #expect(live.exitCode == 0, "\(live.errorText)")
        #expect(live.errorText.contains("10 exchanges recorded"), "\(live.errorText)")
        try origin.stop()
        let played = try folder.run([Tapedeck.path, "replay", "x", "--no-local"] + arguments)
        #expect(played.exitCode == 0, "\(played.errorText)")
        #expect(played.errorText.contains("10 requests played, 0 unmatched"), "\(played.errorText)")
    }

    enum Browser: String, CaseIterable {
        case chromium
        case firefox

        var isInstalled: Bool {
            switch self {
            case .chromium: ClientFilesTests.isInstalled("chromium")
            case .firefox:
                ClientFilesTests.isInstalled("certutil")
                    && ["firefox", "firefox-esr"].contains(where: ClientFilesTests.isInstalled)
            }
        }

        /// Switches with which the browser ends once the page is there.
        func ending(in folder: TestFolder) -> [String] {
            switch self {
            case .chromium: ["--headless", "--dump-dom"]
            case .firefox: ["--headless", "--screenshot", folder / "page.png"]
            }
        }
    }

    @Test func `Firefox without the tool that makes its store is refused with the remedy`() throws {
        let folder = try TestFolder()
        let result = try folder.run(
            [Tapedeck.path, "record", "x", "--browser", "firefox"],
            environment: ["PATH": folder.path]
        )
        #expect(result.exitCode == 69)
        #expect(result.errorText.contains("there is no certutil; install libnss3-tools"), "\(result.errorText)")
    }
}
