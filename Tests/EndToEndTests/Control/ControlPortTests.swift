import Foundation
import TestShare
import Testing

/// The address of the control API, and access to it.
@Suite(.ownThreads) struct ControlPortTests {
    @Test func `without a deck every command says so in one line`() throws {
        let folder = try TestFolder()
        let taken = try RawListener()
        for command in [["session", "list"], ["select", "a=b"], ["journal", "--follow"], ["report"], ["reset"]] {
            let result = try folder.tapedeck(command + ["--deck", "http://127.0.0.1:\(taken.port)"])
            #expect(result.exitCode == 69)
            #expect(result.errorText.hasPrefix("tapedeck: no deck listens at http://127.0.0.1:\(taken.port); "))
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
            #expect(result.outputText == "")
        }
        let result = try folder.tapedeck("report", "--deck", "https://127.0.0.1:1")
        #expect(result.exitCode == 64)
        #expect(result.errorText.contains("plain HTTP"), "\(result.errorText)")
    }

    @Test func `a used port is reported with the option that changes it`() throws {
        let deck = try SteeredDeck()
        let port = try #require(deck.process.controlURL?.split(separator: ":").last)
        let result = try deck.folder.tapedeck("replay", "users", "--port", "0", "--control-port", String(port))
        #expect(result.exitCode == 69)
        #expect(result.errorText.contains("port \(port) of the control API is in use"), "\(result.errorText)")
        #expect(result.errorText.contains("--control-port"))
        #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
    }

    @Test func `a command steers the deck that it runs in`() throws {
        let folder = try TestFolder()
        try folder.write(SteeredDeck.cassette, to: "cassettes/users.yaml")
        let script = "'\(Tapedeck.path)' select users=none && curl -q -sS \(SteeredDeck.users)"
        let result = try folder.tapedeck("replay", "users", "--", "sh", "-c", script)
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.outputText == "nobody")
    }

    @Test func `without a control port a command finds no deck, not even one further out`() throws {
        let folder = try TestFolder()
        try folder.write(SteeredDeck.cassette, to: "cassettes/users.yaml")
        let result = try folder.tapedeck(
            [
                "replay", "users", "--no-control", "--", "sh", "-c",
                "echo \"${TAPEDECK_URL-none} ${TAPEDECK_TOKEN-none}\"",
            ],
            environment: ["TAPEDECK_URL": "http://127.0.0.1:9", "TAPEDECK_TOKEN": "other"]
        )
        #expect(result.outputText == "none none\n", "\(result.errorText)")
    }

    @Test func `a deck with a token is steered with it alone`() throws {
        let deck = try SteeredDeck("replay", "users", "--token-file", "token", token: "secret\n")
        let without = try deck.steer("session", "list")
        #expect(without.exitCode == 64)
        #expect(without.errorText.contains("token"), "\(without.errorText)")
        #expect(try deck.steer("session", "list", "--token-file", "token").exitCode == 0)
        #expect(try deck.steer("session", "list", environment: ["TAPEDECK_TOKEN": "secret"]).exitCode == 0)
        #expect(try deck.steer("session", "list", environment: ["TAPEDECK_TOKEN": "wrong"]).exitCode == 64)
    }

    @Test(
        arguments: some(of: [
            ["replay", "users", "--port", "5000", "--control-port", "5000"],
            ["replay", "users", "--no-control", "--control-port", "1"],
            ["replay", "users", "--control-port", "65536"],
            ["replay", "users", "--sessions", "maybe"],
            ["serve", "--sessions", "optional"],
            ["session", "create", "users", "--reverse", "https://api.example.com"],
            ["journal", "--limit", "0"], ["journal", "--limit", "1001"],
        ])
    )
    func `options that contradict each other are refused`(_ arguments: [String]) throws {
        let folder = try TestFolder()
        let result = try folder.tapedeck(arguments)
        #expect(result.exitCode == 64, "\(result.errorText)")
        #expect(result.errorText.hasPrefix("Error: "))
    }

    @Test(
        arguments: some(of: [
            (["replay", "users", "--unmatched", "record"], "--unmatched record"),
            (["replay", "users", "--unmatched", "maybe"], "respond=STATUS"),
            (["replay", "users", "--session-ttl", "5"], "--session-ttl"),
            (["record", "new", "--sessions", "required"], "tapedeck serve"),
            (["serve", "--seed", "4"], "--seed"),
            (["replay", "users", "--token-file", "nowhere"], "nowhere"),
        ])
    )
    func `impossible options are reported before anything starts`(_ arguments: [String], _ words: String) throws {
        let folder = try TestFolder()
        try folder.write(SteeredDeck.cassette, to: "cassettes/users.yaml")
        let result = try folder.tapedeck(arguments + ["--", "touch", "ran"])
        #expect(result.exitCode == 64, "\(result.errorText)")
        #expect(result.errorText.contains(words), "\(result.errorText)")
        #expect(!folder.exists("ran"))
    }

    @Test func `an unmatched request may get another status, and still counts`() throws {
        let folder = try TestFolder()
        try folder.write(SteeredDeck.cassette, to: "cassettes/users.yaml")
        let command = ["curl", "-q", "-sS", "-o", "out", "-w", "%{http_code}", "http://api.example.com/nothing"]
        let result = try folder.tapedeck(["replay", "users", "--unmatched", "respond=404", "--"] + command)
        #expect(result.outputText == "404", "\(result.errorText)")
        #expect(result.exitCode == 70)
    }
}

/// A port that is taken and where nothing answers.
private final class RawListener {
    private let descriptor: Int32
    let port: Int

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
            }
        }
        try #require(isBound)
        self.descriptor = descriptor
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit {
        close(self.descriptor)
    }
}
