import Foundation
import NIOCore
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import Testing

/// The ways in which real clients name their session.
@Suite struct RealClientTests {
    private struct Outcome {
        var status: Int32
        var text: String
    }

    /// Runs a program without the user's settings, and waits for its end.
    private static func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin", "HOME": "/nonexistent",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in ended {}
        let data = output.fileHandleForReading.readDataToEndOfFile()
        return Outcome(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }

    private static func proxyURL(_ proxy: SharedProxy, _ key: String? = nil) -> String {
        "http://\(key.map { "\($0)@" } ?? "")127.0.0.1:\(proxy.listener.address.port ?? 0)"
    }

    @Test(arguments: ["http", "https"])
    func curlNamesItsSessionByProxyUserHeaderOrProxyHeader(_ scheme: String) async throws {
        let proxy = try await SharedProxy.start()
        let session = try proxy.session("one")
        let url = "\(scheme)://api.example.test/a"
        for arguments in [
            ["-x", Self.proxyURL(proxy, session.key)],
            ["-x", Self.proxyURL(proxy, session.id)],
            ["-x", Self.proxyURL(proxy), "-H", SharedProxy.header(session.key)],
            ["-x", Self.proxyURL(proxy), "--proxy-header", SharedProxy.header(session.key)],
        ] {
            let outcome = try await Self.run("curl", ["-sSk", "--max-time", "60", url] + arguments)
            #expect(outcome.text == "one")
        }
        try await proxy.stop()
    }

    @Test func curlReportsWhyATunnelWasRejected() async throws {
        let proxy = try await SharedProxy.start()
        let outcome = try await Self.run(
            "curl",
            ["-sSvk", "--max-time", "60", "-x", Self.proxyURL(proxy, "nobody"), "https://api.example.test/a"]
        )
        #expect(outcome.status != 0)
        #expect(outcome.text.contains("404 No Tapedeck session nobody"))
        try await proxy.stop()
    }

    /// It sends its proxy credentials only after a 407.
    @Test func gitNamesItsSessionAfterA407() async throws {
        let proxy = try await SharedProxy.start(hasDefault: false)
        let session = try proxy.session("unused")
        let commit = String(repeating: "a1", count: 20)
        let refs = Take(body: RunningProxy.text("\(commit)\trefs/heads/main\n"))
        session.add(try SharedProxy.set("", "/repo/info/refs.*", behaviour: Behaviour(.takes([refs]))))
        session.add(try SharedProxy.set("ref: refs/heads/main\n", "/repo/HEAD"))
        let outcome = try await Self.run(
            "git",
            ["-c", "http.proxy=\(Self.proxyURL(proxy, session.key))", "ls-remote", "http://api.example.test/repo"]
        )
        #expect(outcome.text.contains("\(commit)\trefs/heads/main"))
        #expect(session.report().played >= 1)
        #expect(session.report().unmatchedCount == 0)
        try await proxy.stop()
    }
}
