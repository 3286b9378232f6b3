import Foundation
import TapedeckTestingCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app under test: a `URLSession` that knows nothing of decks.
struct AppClient: Sendable {
    struct Reply: Sendable, Equatable {
        var status: Int
        var text: String
    }

    let session: URLSession

    init(_ deck: Tapedeck) {
        self.session = deck.urlSession()
    }

    func get(_ url: String) async throws -> Reply {
        try await self.send("GET", url, nil)
    }

    func post(_ url: String, _ body: String, type: String = "application/json") async throws -> Reply {
        try await self.send("POST", url, Data(body.utf8), type: type)
    }

    func send(_ method: String, _ url: String, _ body: Data?, type: String? = nil) async throws -> Reply {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        if let type { request.setValue(type, forHTTPHeaderField: "Content-Type") }
        let (data, response) = try await self.session.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return Reply(status: status, text: String(decoding: data, as: UTF8.self))
    }
}

/// A program under test: the `curl` of the machine.
enum Curl {
    /// - Returns: what it printed, on both of its outputs.
    static func run(_ arguments: [String], environment: [String: String]? = nil) async throws -> String {
        try await OwnThread.run {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["curl", "-q", "-sS", "--max-time", "40"] + arguments
            if let environment { process.environment = environment }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self)
        }
    }
}
