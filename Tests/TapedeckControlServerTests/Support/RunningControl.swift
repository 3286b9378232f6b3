import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions
import TapedeckTLS
import Testing

@testable import TapedeckControlServer

/// A control server on a port of its own, over a folder with the cassette `shop`.
struct RunningControl {
    static let cassette = """
        tapedeck: 1
        responseSets:
          - name: GET shop.test/cart
            request: { method: GET, url: 'http://shop.test/cart' }
            variants:
              - name: full
                takes: [{ status: 200, body: { text: two apples } }]
              - name: empty
                takes: [{ status: 200 }]
          - name: order
            request: { method: POST, url: 'http://shop.test/orders' }
            variants:
              - name: accepted
                takes: [{ status: 201 }]
        profiles:
          closed: { GET shop.test/cart: empty }

        """

    let server: ControlServer
    let sessions: SessionDirectory
    let folder: String
    private let group: MultiThreadedEventLoopGroup
    private let threadPool: NIOThreadPool

    /// The session of requests that name none.
    var session: Session {
        get throws { try #require(self.sessions.default) }
    }

    static func start(
        _ configuration: ControlConfiguration = ControlConfiguration(),
        requiresSession: Bool = false,
        takesPaths: Bool = false
    ) async throws -> RunningControl {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tapedeck-\(UUID().uuidString)").path
        try FileContents.makeFolder(folder)
        try FileContents.replace("\(folder)/shop.yaml", with: Array(Self.cassette.utf8))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let threadPool = NIOThreadPool(numberOfThreads: 1)
        threadPool.start()
        let library = CassetteLibrary(
            folder: folder,
            store: CassetteStore { SHA256.hexDigest(of: $0) },
            takesPaths: takesPaths
        )
        let shop = CassetteLocation("shop", folder: folder)
        var settings = Session.Settings(mode: .replay)
        settings.cassettes = [shop]
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var limits = SessionDirectory.Configuration(allowsDialling: true)
        limits.cassettes = [shop]
        let sessions = SessionDirectory(
            limits,
            library: library,
            default: requiresSession ? nil : Session(settings, tape: try library.tape(of: [shop])),
            log: log
        )
        var configuration = configuration
        // Any free one, unless a test is about a port.
        if configuration.port == ControlConfiguration().port { configuration.port = 0 }
        // Hundreds of tests at once on a slow machine keep an answer waiting for minutes.
        configuration.idleTimeout = .seconds(3_600)
        var deck = ControlledDeck(
            sessions: sessions,
            version: "1.2.3",
            authorityPEM: "-----BEGIN CERTIFICATE-----\n",
            authorityDER: [0x30, 0x00],
            authorityExpires: "in ten years",
            proxyURL: "http://127.0.0.1:4747",
            threadPool: threadPool,
            openPort: { _, port, _ in port == 0 ? 40_000 : port }
        )
        deck.foreignFiles = .made
        let server: ControlServer
        do {
            server = try await ControlServer.start(configuration, deck: deck, group: group, log: log)
        } catch {
            // Of a server that did not start nothing is left.
            try await threadPool.shutdownGracefully()
            try await group.shutdownGracefully()
            try FileManager.default.removeItem(atPath: folder)
            throw error
        }
        return RunningControl(
            server: server,
            sessions: sessions,
            folder: folder,
            group: group,
            threadPool: threadPool
        )
    }

    func stop() async throws {
        await self.server.stop()
        try await self.threadPool.shutdownGracefully()
        try await self.group.shutdownGracefully()
        try FileManager.default.removeItem(atPath: self.folder)
    }

    /// Returns once a number of requests wait or stream. Spins, because there is no notification.
    func untilBusy(_ count: Int = 1) async throws {
        while self.server.service.longRequests.count < count { await Task.yield() }
    }

    /// A server for as long as `work` takes.
    static func use<Result>(
        _ configuration: ControlConfiguration = ControlConfiguration(),
        requiresSession: Bool = false,
        takesPaths: Bool = false,
        _ work: (RunningControl) async throws -> Result
    ) async throws -> Result {
        let control = try await self.start(
            configuration,
            requiresSession: requiresSession,
            takesPaths: takesPaths
        )
        do {
            let result = try await work(control)
            try await control.stop()
            return result
        } catch {
            try? await control.stop()
            throw error
        }
    }

    // MARK: Asking

    /// Returns the answer to one request.
    func ask(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        headers: [String] = [],
        host: String? = nil
    ) async throws -> ControlAnswer {
        let probe = try await self.connect()
        try await probe.send(self.head(method, path, body, headers: ["Connection: close"] + headers, host: host))
        return try ControlAnswer(await probe.readToEnd())
    }

    /// Returns the answer as a model.
    func ask<Model: Decodable>(
        _ type: Model.Type,
        _ method: String,
        _ path: String,
        _ body: String? = nil
    ) async throws -> Model {
        let answer = try await self.ask(method, path, body)
        try #require((200...299).contains(answer.status), "\(answer.text)")
        return try answer.decoded()
    }

    func connect() async throws -> ControlProbe {
        try await ControlProbe.connect(port: self.server.port)
    }

    /// Returns the head of a request as on the wire.
    func head(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        headers: [String] = [],
        host: String? = nil
    ) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(self.server.port)")"] + headers
        if let body {
            lines.append("Content-Length: \(body.utf8.count)")
            if !headers.contains(where: { $0.hasPrefix("Content-Type:") }) {
                lines.append("Content-Type: application/json")
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }
}

extension ControlConfiguration {
    /// The usual one, but for something.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        change(&configuration)
        return configuration
    }
}

/// An answer of the control API.
struct ControlAnswer {
    let status: Int
    let headers: [String: String]
    let text: String

    init(_ response: String) throws {
        let end = try #require(response.firstRange(of: "\r\n\r\n"), "no whole answer: \(response)")
        let lines = response[..<end.lowerBound].split(separator: "\r\n")
        self.status = try #require(lines.first.flatMap { Int($0.split(separator: " ")[1]) })
        self.headers = Dictionary(
            lines.dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return parts.count == 2 ? (parts[0].lowercased(), parts[1].drop { $0 == " " }.description) : nil
            }
        ) { first, _ in first }
        self.text = String(response[end.upperBound...])
    }

    func decoded<Model: Decodable>(_ type: Model.Type = Model.self) throws -> Model {
        try JSONDecoder().decode(type, from: Data(self.text.utf8))
    }

    /// The word for programs of a problem document.
    var problem: String? {
        guard self.headers["content-type"] == "application/problem+json",
            let model = try? self.decoded(ProblemModel.self)
        else { return nil }
        return model.status == self.status ? model.type.split(separator: "/").last.map(String.init) : nil
    }
}
