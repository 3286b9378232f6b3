public import Foundation
import TapedeckControlClient
import TapedeckLocking

/// Requests that come to the app: webhooks and other callbacks.
extension Tapedeck {
    /// Sends a request to a server of the app under test, as the service would whose API it uses, and waits for the answer.
    ///
    /// ```swift
    /// let answer = try await deck.send(to: app.webhookURL, json: ["event": "paid", "order": 7])
    /// #expect(answer.status == 204)
    /// ```
    ///
    /// It goes straight to that server, over plain HTTP, and is noted in the traffic of a failed test. What the app asks for
    /// because of it comes to the session as ever.
    ///
    /// `url` is that of the app's server, such as `http://127.0.0.1:8080/webhook`; `json` is a body in place of `body`. All of
    /// it may take as long as `timeout`.
    ///
    /// - Throws: ``TapedeckError``, for this line, when there is no answer.
    @discardableResult
    public func send(
        to url: URL,
        method: String = "POST",
        headers: KeyValuePairs<String, String> = [:],
        json: Tapedeck.JSON? = nil,
        body: Data = Data(),
        timeout: Duration = .seconds(10),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async throws -> Tapedeck.Response {
        var fields = headers.map { (name: $0.key, value: $0.value) }
        if json != nil, fields.value(of: "content-type") == nil { fields.append(("Content-Type", "application/json")) }
        return try await self.send(
            Callback(url: url, method: method, fields: fields, body: json.map { Data($0.text.utf8) } ?? body),
            timeout: timeout,
            at: CodePlace(fileID, filePath, line, column)
        )
    }

    package func send(_ callback: Callback, timeout: Duration, at place: CodePlace) async throws -> Tapedeck.Response {
        do {
            let response = try await OwnThread.run { try callback.send(within: timeout) }
            self.noteSent("\(callback.words) → \(response.status)")
            return response
        } catch let error as TapedeckError {
            self.noteSent("\(callback.words) → \(error.message)")
            throw error.at(place)
        }
    }

    private func noteSent(_ line: String) {
        self.ledger.withLock { $0.sent.append("sent to the app: \(line)") }
    }
}

/// A request of a test's own, over plain HTTP.
package struct Callback: Sendable {
    package var url: URL
    package var method: String
    package var fields: [(name: String, value: String)]
    package var body: Data

    package init(url: URL, method: String, fields: [(name: String, value: String)], body: Data) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
    }

    /// Without a query, which may have a secret in it.
    var words: String {
        "\(self.method) \(self.url.scheme ?? "")://\(self.url.host() ?? "")\(self.url.path(percentEncoded: true))"
    }

    /// Blocks.
    func send(within time: Duration) throws -> Tapedeck.Response {
        guard self.url.scheme?.lowercased() == "http", let host = self.url.host(percentEncoded: false), !host.isEmpty
        else {
            throw TapedeckError(.badOptions, "a callback goes to an http URL with a host, and \(self.url) is none")
        }
        let end = Deadline(after: time)
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        do throws(ClientSocket.Failure) {
            let socket = try ClientSocket(host: bare, port: self.url.port ?? 80, deadline: end)
            // Together where they fit, as small servers read a request at once.
            try socket.send(self.head(host) + Array(self.body), deadline: end, untilAnswered: true)
            return try self.answer(over: socket, end)
        } catch {
            throw TapedeckError(
                error == .timeout ? .timeout : .refused,
                "the app's server at \(self.url) gave no answer: \(error.description)"
            )
        }
    }

    private func head(_ host: String) -> [UInt8] {
        let path = self.url.path(percentEncoded: true)
        let query = self.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        var lines = ["\(self.method) \(path.isEmpty ? "/" : path)\(query) HTTP/1.1"]
        lines.append("Host: \(name)\(self.url.port.map { ":\($0)" } ?? "")")
        lines += self.fields.map { "\($0.name): \($0.value.filter { !$0.isNewline })" }
        lines += ["Content-Length: \(self.body.count)", "Connection: close"]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private func answer(
        over socket: borrowing ClientSocket,
        _ end: Deadline
    ) throws(ClientSocket.Failure) -> Tapedeck.Response {
        var parser = ResponseParser(isHead: self.method == "HEAD")
        var body = Data()
        while !parser.isComplete {
            let bytes = try socket.receive(deadline: end)
            do {
                if bytes.isEmpty { try parser.end() } else { try parser.receive(bytes) }
            } catch {
                throw .unknownHost("it is no HTTP: \(error.reason)")
            }
            body += parser.takeBody()
        }
        guard let head = parser.head else { throw .unknownHost("it has no head") }
        return Tapedeck.Response(
            status: head.status,
            headers: head.fields.map { (name: $0.name, value: $0.value) },
            body: body
        )
    }
}
