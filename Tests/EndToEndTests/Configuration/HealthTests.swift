import Foundation
import TestShare
import Testing

/// `tapedeck health`, which a container asks whether it is well.
@Suite(.ownThreads) struct HealthTests {
    @Test func `a running deck is healthy, and a stopped one is not`() throws {
        let folder = try TestFolder()
        let deck = try folder.serve("serve")
        let url = try #require(deck.controlURL)
        let port = try #require(url.split(separator: ":").last.map(String.init))
        let healthy = try folder.tapedeck(["health"], environment: ["TAPEDECK_CONTROL_PORT": port])
        #expect(healthy.exitCode == 0)
        #expect(healthy.outputText == "the deck at \(url) takes requests\n")
        #expect(try folder.tapedeck("health", "--deck", url).exitCode == 0)
        try deck.stop()
        let gone = try folder.tapedeck("health", "--control-port", port)
        #expect(gone.exitCode == 1)
        #expect(gone.errorText == "tapedeck: no deck takes requests at \(url)\n")
    }

    @Test func `a deck that other machines reach is checked on this one, without its token`() throws {
        let folder = try TestFolder()
        let program = try folder.start(
            [Tapedeck.path, "serve", "--host", "0.0.0.0", "--port", "0"],
            environment: ["TAPEDECK_TOKEN": "abc"]
        )
        defer { program.send(SIGKILL) }
        let port = try program.waitForErrors("its control port") { text in
            text.firstMatch(of: /to steer it:\s+http:\/\/127\.0\.0\.1:(\d+)/).map { String($0.1) }
        }
        try folder.write("deck: { host: 0.0.0.0, controlPort: \(port) }\n", to: "tapedeck.yaml")
        let result = try folder.tapedeck("health")
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "the deck at http://127.0.0.1:\(port) takes requests\n")
    }

    @Test func `a deck without a control API is checked at its proxy`() throws {
        let folder = try TestFolder()
        try folder.write(Cassettes.users, to: "cassettes/users.yaml")
        let deck = try folder.serve("replay", "users", "--no-control")
        let result = try folder.tapedeck("health", "--no-control", "--port", "\(deck.port)")
        #expect(result.exitCode == 0, "\(result.errorText)")
        try deck.stop()
        #expect(try folder.tapedeck("health", "--no-control", "--port", "\(deck.port)").exitCode == 1)
    }

    @Test(.long) func `a silent deck is not healthy`() throws {
        // Takes connections, in the system's queue, and never answers.
        let silent = try SilentListener()
        let folder = try TestFolder()
        let result = try folder.tapedeck("health", "--control-port", "\(silent.port)", "--timeout", "1")
        #expect(result.exitCode == 1)
        #expect(result.errorText.contains("gave no answer in time"))
    }

    @Test func `another service is not healthy`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let result = try folder.tapedeck("health", "--deck", origin.base(.http))
        #expect(result.exitCode == 1)
        #expect(result.errorText.split(separator: "\n").count == 1)
    }

    /// A port that listens, and nothing more.
    private final class SilentListener {
        private let descriptor: Int32
        let port: Int

        init() throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(descriptor, address, size) == 0 && listen(descriptor, 1) == 0
                        && getsockname(descriptor, address, &size) == 0
                }
            }
            try #require(isListening)
            self.descriptor = descriptor
            self.port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(self.descriptor) }
    }
}
