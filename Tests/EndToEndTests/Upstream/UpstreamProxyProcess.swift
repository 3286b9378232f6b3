import Foundation
import Testing

/// `proxy.py`, which reports its requests. It resolves every name to this machine.
final class UpstreamProxyProcess: Sendable {
    struct Asked: Decodable, Equatable {
        var connection: Int
        var request: String
        var credentials: String?
    }

    /// `127.0.0.1:PORT`.
    let authority: String
    private let program: Program

    init(in folder: TestFolder, _ options: String...) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("proxy.py").path
        self.program = try folder.start(Program.python + [script] + options, input: nil)
        let port = try self.program.waitForOutput("the proxy's port") { text in
            text.contains("\n") ? text.split(separator: "\n").first.map(String.init) : nil
        }
        self.authority = "127.0.0.1:\(port)"
    }

    deinit {
        self.program.closeInput()
    }

    /// Stops it and returns its requests.
    func stop() throws -> [Asked] {
        self.program.closeInput()
        return try self.program.result().outputText.split(separator: "\n").dropFirst().map {
            try JSONDecoder().decode(Asked.self, from: Data($0.utf8))
        }
    }

    /// An environment that leads there.
    func environment(credentials: String = "") -> [String: String] {
        let url = "http://\(credentials)\(self.authority)"
        return ["http_proxy": url, "HTTPS_PROXY": url]
    }
}
