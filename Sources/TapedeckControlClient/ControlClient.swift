package import TapedeckControlAPI

/// Steers a running deck over its control API. Every call blocks its thread until the answer is there.
package struct ControlClient: Sendable {
    let transport: ControlTransport

    /// - Parameters:
    ///   - url: the URL of the control API, such as `http://127.0.0.1:4748`.
    ///   - token: the deck's token, if it has one.
    ///   - timeout: the maximum time of an answer, by default 30 seconds. Calls that wait have their own time in
    ///     addition.
    /// - Throws: ``ControlError`` for a URL that no deck can have.
    package init(url: String, token: String? = nil, timeout: Duration = .seconds(30)) throws(ControlError) {
        self.transport = ControlTransport(address: try ControlAddress(url), token: token, timeout: timeout)
    }

    /// The URL of the control API.
    package var url: String { self.transport.address.url }

    /// The deck's name or address in that URL, without brackets.
    package var host: String { self.transport.address.host }

    // MARK: The deck

    /// The certificate that clients of the deck must trust, as PEM.
    package func certificateAuthority() throws(ControlError) -> String {
        var request = ControlRequest("GET", ["ca.pem"])
        request.accepts = "application/x-pem-file"
        return String(decoding: try self.transport.body(of: request), as: UTF8.self)
    }

    /// Returns the deck's mode, addresses and use.
    package func deck() throws(ControlError) -> DeckModel {
        try self.get(["deck"])
    }

    /// The cassettes in the deck's folder.
    package func cassettes() throws(ControlError) -> [CassetteModel] {
        try (self.get(["cassettes"]) as CassetteList).cassettes
    }

    /// The names of a cassette's response sets, in its order.
    package func setNames(ofCassette name: String) throws(ControlError) -> [String] {
        struct Names: Decodable {
            struct Set: Decodable { var name: String }

            var responseSets: [Set]
        }
        return try (self.get(["cassettes", name]) as Names).responseSets.map(\.name)
    }

    /// Returns the problems of a cassette.
    package func check(cassette name: String) throws(ControlError) -> CassetteCheckModel {
        try self.get(["cassettes", name, "check"])
    }

    /// Has the deck read a cassette again.
    package func reload(cassette name: String) throws(ControlError) -> CassetteCheckModel {
        try self.ask(ControlRequest("POST", ["cassettes", name, "reload"]))
    }

    // MARK: Sessions

    /// Creates a session. Only this response has its token.
    package func createSession(_ request: SessionRequest) throws(ControlError) -> SessionModel {
        try self.send("POST", ["sessions"], request)
    }

    /// The live sessions, oldest first.
    package func sessions() throws(ControlError) -> [SessionModel] {
        var sessions: [SessionModel] = []
        while true {
            let page: SessionList = try self.get(
                ["sessions"],
                query: [("offset", "\(sessions.count)"), ("limit", "\(Self.pageSize)")]
            )
            sessions += page.sessions
            guard !page.sessions.isEmpty, sessions.count < page.total else { return sessions }
        }
    }

    /// The number of sessions per request, which is the deck's maximum.
    private static let pageSize = 1_000

    /// Returns the session of this id, without checking that it exists.
    package func session(_ id: String) -> SessionClient {
        SessionClient(client: self, id: id)
    }

    // MARK: Asking

    func get<Answer: Decodable>(
        _ path: [String],
        query: [(name: String, value: String?)] = []
    ) throws(ControlError) -> Answer {
        try self.ask(ControlRequest("GET", path, query: query))
    }

    func send<Answer: Decodable>(
        _ method: String,
        _ path: [String],
        _ body: some Encodable
    ) throws(ControlError) -> Answer {
        try self.ask(ControlRequest(method, path, body: try self.encode(body)))
    }

    /// - Parameter patience: how long the deck may take on top of the timeout.
    func ask<Answer: Decodable>(_ request: ControlRequest, patience: Duration = .zero) throws(ControlError) -> Answer {
        try self.decode(try self.transport.body(of: request, patience: patience))
    }

    /// Asks, and does not care what a successful answer says.
    func tell(_ request: ControlRequest) throws(ControlError) {
        _ = try self.transport.body(of: request)
    }

    func encode(_ body: some Encodable) throws(ControlError) -> [UInt8] {
        do {
            return try ControlJSON.bytes(body)
        } catch {
            throw ControlError(.notUnderstood, "this cannot be written as JSON: \(error)")
        }
    }

    func decode<Answer: Decodable>(_ bytes: [UInt8]) throws(ControlError) -> Answer {
        do {
            return try ControlJSON.decode(Answer.self, from: bytes)
        } catch {
            throw self.transport.notUnderstood("\(Self.place(of: error)) is not as expected")
        }
    }

    /// Returns the member of an answer that cannot be read.
    private static func place(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): self.path(context.codingPath + [key])
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            self.path(context.codingPath)
        default: "the JSON"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the JSON" : "\"" + keys.map(\.stringValue).joined(separator: ".") + "\""
    }
}
