import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckSessions
import TestShare
import Testing

/// Secrets in recorded traffic: the client gets them, and nothing on the disk has them.
@Suite struct RedactedTrafficTests {
    private static let token = "gGx4hZQ81mNc07Lq5vTbW9yRk3sUdE2a"
    private static let json = ["HTTP/1.1 200 OK\r\n", "Content-Type: application/json\r\n"].joined()

    private let temporary: TemporaryFolder
    private var folder: String { self.temporary.path }
    private var cassette: CassetteLocation { CassetteLocation("live", folder: self.folder) }

    init() throws {
        self.temporary = try TemporaryFolder()
    }

    /// The files of a recording of one request, before and after it ends.
    private struct Recorded {
        var response: WireResponse
        var inJournal: [String: [UInt8]]
        var saved: CassetteStore.Saved?
        var text: String
        var bodyFiles: [[UInt8]]
        var session: Session

        /// True if any file contains the token.
        var leaks: Bool {
            let files = Array(self.inJournal.values) + self.bodyFiles + [Array(self.text.utf8)]
            return files.contains { $0.firstRange(of: Array(RedactedTrafficTests.token.utf8)) != nil }
        }
    }

    private static func contents(_ folder: String) throws -> [String: [UInt8]] {
        try FileContents.names(in: folder).reduce(into: [:]) { files, name in
            files[name] = try FileContents.read(FilePath.join(folder, name))
        }
    }

    private func record(
        _ origin: FixedOrigin,
        _ path: String = "/",
        _ fields: String...,
        redaction: RedactionOptions = RedactionOptions()
    ) async throws -> Recorded {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder, redaction: redaction)
        let session = try proxy.passthrough()
        try proxy.sessions.record(session, into: self.cassette, mode: .record)
        let fields = ([SharedProxy.header(session.key)] + fields).joined(separator: "\r\n")
        let response = try await proxy.ask(SharedProxy.get(origin.url + path, fields))
        let inJournal = try Self.contents(self.cassette.journalFolder)
        let saved = try await proxy.sessions.stopRecording(of: session)
        let text = FileContents.exists(self.cassette.path) ? try FileContents.read(self.cassette.path) : []
        let bodies = try Self.contents(FilePath.join(self.folder, self.cassette.bodyFolderName))
        try await proxy.stop()
        try await origin.stop()
        return Recorded(
            response: response,
            inJournal: inJournal,
            saved: saved,
            text: String(decoding: text, as: UTF8.self),
            bodyFiles: Array(bodies.values),
            session: session
        )
    }

    @Test("A token in a header, a URL and a JSON answer is one placeholder, and reaches client and origin alone")
    func small() async throws {
        let origin = try await FixedOrigin.start(Self.json, body: Array(#"{"access_token":"\#(Self.token)"}"#.utf8))
        let recorded = try await self.record(
            origin,
            "/login?api_key=\(Self.token)",
            "Authorization: Bearer \(Self.token)"
        )
        #expect(recorded.response.body == #"{"access_token":"\#(Self.token)"}"#)
        #expect(recorded.inJournal["exchanges"]?.firstRange(of: Array("{{secret.".utf8)) != nil)
        #expect(!recorded.leaks)
        #expect(recorded.saved?.exchanges == 1)
        #expect(recorded.text.contains("/login?api_key={{secret.api_key}}"))
        #expect(recorded.text.contains("{{secret.api_key}}\""))
        #expect(recorded.text.contains("\nsecrets:\n  api_key: { shape: "))
        // Another token would make another length, and another line in every diff.
        #expect(!recorded.text.lowercased().contains("content-length"))
    }

    @Test("A secret in a compressed answer is found, and the answer stays compressed")
    func compressed() async throws {
        let body = try ContentCoder.encode(Array(#"{"access_token":"\#(Self.token)"}"#.utf8), .gzip)
        let origin = try await FixedOrigin.start(Self.json + "Content-Encoding: gzip\r\n", body: body)
        let recorded = try await self.record(origin)
        #expect(!recorded.leaks)
        #expect(recorded.text.contains("{{secret.access_token}}"))
        #expect(recorded.text.contains("encoding: gzip"))
    }

    @Test("A large text waits in memory, and no file contains its secret", .long)
    func large() async throws {
        let text = String(repeating: "line of text\n", count: 40_000) + #"token: Bearer \#(Self.token)"#
        let origin = try await FixedOrigin.start(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n",
            body: Array(text.utf8)
        )
        let recorded = try await self.record(origin)
        #expect(recorded.response.body == text)
        #expect(Set(recorded.inJournal.keys).isSubset(of: ["begin", "exchanges", "secrets"]))
        #expect(!recorded.leaks)
        #expect(recorded.saved?.exchanges == 1)
        #expect(recorded.bodyFiles.count == 1)
        #expect(recorded.bodyFiles.first?.suffix(40).firstRange(of: Array("Bearer {{secret.".utf8)) != nil)
    }

    private static let bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 400_000)

    @Test("A binary answer is written to a file at once")
    func binary() async throws {
        let origin = try await FixedOrigin.start("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n", body: Self.bytes)
        let recorded = try await self.record(origin)
        #expect(recorded.inJournal.keys.contains { $0.hasPrefix("response-") })
        #expect(recorded.bodyFiles == [Self.bytes])
    }

    private static let tooLarge = Array(String(repeating: "0123456789 text\n", count: 30_000).utf8)
    private static let limited = {
        var options = RedactionOptions()
        options.bodyLimit = 300_000
        return options
    }()

    @Test(
        "A text that is too large to search reaches its client, is not recorded, and is reported with the reason"
    )
    func beyondTheLimit() async throws {
        let origin = try await FixedOrigin.start("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", body: Self.tooLarge)
        let recorded = try await self.record(origin, "/big?api_key=\(Self.token)", redaction: Self.limited)
        #expect(recorded.response.body.utf8.count == Self.tooLarge.count)
        #expect(Set(recorded.inJournal.keys) == ["begin", "exchanges"])
        #expect(recorded.saved?.exchanges == 0)
        let trouble = try #require(recorded.session.report().troubles.first)
        #expect(trouble.notRecorded?.contains("--allow-unscanned") == true)
        #expect(!"\(trouble.request)".contains(Self.token))
        #expect(recorded.session.recordingStatus == nil)
    }

    @Test("A text that is too large to search is recorded if that is allowed")
    func unscanned() async throws {
        let origin = try await FixedOrigin.start("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", body: Self.tooLarge)
        var options = Self.limited
        options.allowsUnscanned = true
        let recorded = try await self.record(origin, redaction: options)
        #expect(recorded.saved?.exchanges == 1)
        #expect(recorded.bodyFiles == [Self.tooLarge])
    }

    @Test("The limit applies to the decompressed size of a text, and nothing of its exchange is kept")
    func unpacked() async throws {
        let body = try ContentCoder.encode(Self.tooLarge, .gzip)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n"
        let recorded = try await self.record(try await FixedOrigin.start(head, body: body), redaction: Self.limited)
        #expect(recorded.saved?.exchanges == 0)
        #expect(recorded.session.report().troubles.first?.notRecorded != nil)
    }

    @Test("The rules of the project and the cassette count, and a secret of the environment keeps its name")
    func rules() async throws {
        try FileContents.replace(
            self.cassette.path,
            with: Array(
                """
                tapedeck: 1
                redact: { rules: [{ header: X-Tenant, name: tenant }] }
                secrets:
                  mine: { environment: MINE }
                responseSets: []

                """.utf8
            )
        )
        var options = RedactionOptions()
        options.project.rules = [RedactionRule(name: "user", place: .query("u"))]
        options.environment = ["MINE": Self.token]
        let origin = try await FixedOrigin.start(
            "HTTP/1.1 200 OK\r\nX-Tenant: acme-4711\r\n",
            body: Array(Self.token.utf8)
        )
        let recorded = try await self.record(origin, "/?u=jane.doe", redaction: options)
        #expect(recorded.text.contains("X-Tenant: '{{secret.tenant}}'"))
        #expect(recorded.text.contains("/?u={{secret.user}}"))
        #expect(recorded.text.contains("'{{secret.mine}}'"))
        #expect(recorded.text.contains("  mine: { environment: MINE }\n"))
        #expect(!recorded.leaks)
    }

    @Test("A secret that is discovered later is removed from earlier recordings")
    func later() async throws {
        let proxy = try await SharedProxy.start(dials: true, folder: self.folder)
        let session = try proxy.passthrough()
        try proxy.sessions.record(session, into: self.cassette, mode: .record)
        let origin = try await FixedOrigin.start(Self.json, body: Array(#"{"id":"\#(Self.token)"}"#.utf8))
        let header = SharedProxy.header(session.key)
        _ = try await proxy.ask(SharedProxy.get("\(origin.url)/a/\(Self.token)", header))
        _ = try await proxy.ask(SharedProxy.get("\(origin.url)/b", header, "X-Api-Key: \(Self.token)"))
        _ = try await proxy.sessions.stopRecording(of: session)
        let text = String(decoding: try FileContents.read(self.cassette.path), as: UTF8.self)
        #expect(!text.contains(Self.token))
        #expect(text.contains("/a/{{secret."))
        try await proxy.stop()
        try await origin.stop()
    }
}
