import Foundation
import Synchronization
import TapedeckTLS

/// `origin.py`, which answers with exact bytes, with a certificate of an authority of its own.
final class Origin: Sendable {
    enum Scheme: String, Sendable, CaseIterable {
        case http
        case https
    }

    /// A request as the origin saw it.
    struct SeenRequest: Decodable {
        var method: String
        var target: String
        var version: String
        var headers: [[String]]
        var bodySHA256: String?
        var bodyLength: Int
        var connection: Int
        var complete: Bool

        func values(_ name: String) -> [String] {
            self.headers.filter { $0.first?.lowercased() == name }.compactMap(\.last)
        }
    }

    private struct Ports: Decodable {
        var http: Int
        var https: Int
        var httpIPv6: Int?
    }

    /// The file with the authority that the certificate is from.
    let authorityPath: String
    private let ports: Ports
    /// Its standard input and output.
    private let connection: Mutex<RawConnection>
    private let folder: TestFolder

    /// - Parameter host: whom the certificate is for.
    init(in folder: TestFolder, certificateFor host: String = "localhost") throws {
        let authority = try CertificateAuthority.ephemeral()
        let leaf = try authority.issueLeaf(for: host)
        self.folder = folder
        self.authorityPath = try folder.write(authority.certificatePEM, to: "origin/authority.pem")
        let certificate = try folder.write(leaf.certificatePEM, to: "origin/leaf.pem")
        let key = try folder.write(leaf.privateKeyPEM, to: "origin/key.pem")
        let options = try JSONEncoder().encode(["--cert", certificate, "--key", key])
        let connection = try RawConnection(port: try OriginPool.shared.get().port)
        connection.send("\(String(decoding: options, as: UTF8.self))\n")
        let line = try connection.read(through: "\n")
        self.ports = try JSONDecoder().decode(Ports.self, from: Data(line.utf8))
        self.connection = Mutex(connection)
    }

    /// Stops serving.
    func stop() throws {
        try self.connection.withLock { connection in
            connection.finishSending()
            _ = try connection.readToEnd()
        }
        self.folder.hold([self.ports.http, self.ports.https])
    }

    func port(_ scheme: Scheme) -> Int {
        scheme == .http ? self.ports.http : self.ports.https
    }

    /// The port on `[::1]`, where the machine has IPv6.
    var portIPv6: Int? { self.ports.httpIPv6 }

    /// `scheme://localhost:port`.
    func base(_ scheme: Scheme) -> String {
        "\(scheme.rawValue)://localhost:\(self.port(scheme))"
    }

    func url(_ path: String, _ scheme: Scheme = .http) -> String {
        self.base(scheme) + path
    }

    // MARK: Control

    /// Forgets requests and counters.
    func reset() throws {
        try self.ask("/_reset", method: "POST")
    }

    /// Lets chunks of `/slow-chunks` go.
    func release(_ count: Int = 1, key: String) throws {
        try self.ask("/_go?n=\(count)&key=\(key)", method: "POST")
    }

    /// The requests it has seen.
    func requests() throws -> [SeenRequest] {
        try JSONDecoder().decode([SeenRequest].self, from: try self.ask("/_requests", method: "GET"))
    }

    @discardableResult
    private func ask(_ path: String, method: String) throws -> Data {
        let result = try self.folder.run(["curl", "-sS", "--noproxy", "*", "-X", method, self.url(path)])
        guard result.exitCode == 0 else { throw Program.Failure(description: "origin: \(result.errorText)") }
        return result.output
    }
}

/// The process that starts all origins: `origin.py --pool`. It ends with the tests.
private final class OriginPool: Sendable {
    static let shared = Result { try OriginPool() }

    let port: Int
    private let program: Program

    private init() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("origin.py").path
        self.program = try Program(
            Program.python + [script, "--pool"],
            environment: ["PATH": TestFolder.searchPath],
            directory: "/",
            input: nil
        )
        self.port = try self.program.waitForOutput("the port of the origins") { text in
            text.contains("\n") ? Int(text.trimmingCharacters(in: .newlines)) : nil
        }
    }
}
