import TapedeckCore

/// A transaction of Charles.
struct CharlesTransaction {
    /// Gives a body; `nil` if the file does not hold it.
    typealias Body = () throws(LeftOut) -> [UInt8]?

    private let node: ForeignNode
    private let line: Int

    init(_ node: ForeignNode, line: Int) {
        self.node = node
        self.line = line
    }

    /// The exchange or the request that it was.
    ///
    /// - Throws: the reason for which it gives nothing to play.
    func entry(requestBody: Body, body: Body) throws(LeftOut) -> SessionEntry {
        guard let request = self.node["request"], request.isMap else {
            throw LeftOut("it has no request", line: self.line)
        }
        let response = self.node["response"]
        let status = response?["status"]?.int ?? 0
        guard let method = self.node["method"]?.text else { throw LeftOut("it has no method", line: self.line) }
        guard method.uppercased() != "CONNECT" else { throw LeftOut(SessionEntry.tunnel, line: self.line) }
        guard self.node["tunnel"]?.bool != true else {
            throw LeftOut("it is an encrypted tunnel, of which the file holds no messages", line: self.line)
        }
        guard self.node["webSocket"]?.bool != true, status != 101 else {
            throw LeftOut(SessionEntry.webSocket, line: self.line)
        }
        var exchange = ForeignExchange()
        exchange.method = method
        exchange.requestHeaders = ForeignHeaders.fields(of: request["header"]?["headers"])
        exchange.url = self.url(exchange.requestHeaders)
        try self.readRequestBody(request, requestBody, into: &exchange)
        self.readTimes(into: &exchange)
        let state = self.node["status"]?.text ?? "COMPLETE"
        guard state == "COMPLETE" else { return try self.incomplete(exchange, state, status: status) }
        if let code = response?["status"], !code.isNull, code.int == nil {
            throw LeftOut("its answer has no valid status", line: self.line)
        }
        guard let response, status > 0 else { return try SessionEntry.unanswered(exchange, line: self.line) }
        exchange.status = status
        exchange.reason = Self.reason(response["header"]?["firstLine"]?.text)
        exchange.headers = ForeignHeaders.fields(of: response["header"]?["headers"])
        if let bytes = try body() {
            exchange.body = bytes
            if let remark = Self.remark(response, bytes.count) { exchange.notes.append("its body \(remark)") }
        } else if let size = Self.size(response, exchange.headers), exchange.mayHaveBody {
            throw LeftOut("the file does not hold its body of \(Plural.text(size, "byte", "bytes"))", line: self.line)
        }
        return .exchange(exchange)
    }

    /// A transaction that was not complete when the session was saved, or that failed.
    private func incomplete(
        _ exchange: ForeignExchange,
        _ state: String,
        status: Int
    ) throws(LeftOut) -> SessionEntry {
        let message = self.node["errorMessage"]?.text ?? self.node["exceptionMessage"]?.text ?? ""
        guard state == "EXCEPTION" || state == "FAILED" || !message.isEmpty else {
            guard status <= 0 else {
                throw LeftOut("it was not complete when the session was saved (\(state.prefix(40)))", line: self.line)
            }
            return try SessionEntry.unanswered(exchange, line: self.line)
        }
        let words = message.isEmpty ? state : message
        guard status <= 0 else {
            throw LeftOut("it failed after its answer began (\(words.prefix(120)))", line: self.line)
        }
        guard !message.isEmpty else {
            throw LeftOut("it failed, and the file does not say why (\(state))", line: self.line)
        }
        let text = message.lowercased()
        guard !text.containsText("client") else {
            throw LeftOut(
                "the client ended the request itself (\(message.prefix(120))): no server failed",
                line: self.line
            )
        }
        guard let fault = Self.faults.first(where: { text.containsText($0.0) })?.1 else {
            throw LeftOut("it failed for a reason that no fault stands for (\(message.prefix(120)))", line: self.line)
        }
        var exchange = exchange
        exchange.fault = fault
        exchange.detail = String(message.prefix(200))
        return .exchange(exchange)
    }

    /// Words of the messages of Charles and of Java.
    private static let faults: [(String, Fault)] = [
        ("timed out", .timeout), ("timeout", .timeout), ("refused", .connectionRefused),
        ("failed to connect", .connectionRefused), ("unreachable", .connectionRefused),
        ("name lookup", .nameNotResolved), ("unknown host", .nameNotResolved), ("unknownhost", .nameNotResolved),
        ("ssl", .tlsHandshake), ("tls", .tlsHandshake), ("certificate", .tlsHandshake),
        ("reset", .connectionReset), ("closed", .emptyResponse), ("dropped", .emptyResponse),
    ]

    // MARK: Parts

    /// The URL that the client asked for. Over HTTP/2 its host is that of `:authority`, as a connection may serve several.
    private func url(_ fields: [HeaderField]) -> String {
        let scheme = self.node["scheme"]?.text ?? "http"
        let path = self.node["path"]?.text ?? "/"
        let query = self.node["query"]?.text.map { $0.isEmpty ? "" : "?\($0)" } ?? ""
        let tail = (path.hasPrefix("/") ? "" : "/") + path + query
        if let authority = fields.first(named: ":authority"), !authority.isEmpty {
            return "\(scheme)://\(authority)\(tail)"
        }
        var host = self.node["host"]?.text ?? ""
        if host.contains(":"), !host.hasPrefix("[") { host = "[\(host)]" }
        // An unknown port is -1.
        let ports = [self.node["actualPort"], self.node["port"]].compactMap { $0?.text }
        let port = ports.first { $0 != "-1" && $0 != "0" } ?? ""
        let isUsual = port.isEmpty || port == (scheme == "https" ? "443" : "80")
        return "\(scheme)://\(host)\(isUsual ? "" : ":\(port)")\(tail)"
    }

    private func readRequestBody(
        _ request: ForeignNode,
        _ body: Body,
        into exchange: inout ForeignExchange
    ) throws(LeftOut) {
        do throws(LeftOut) {
            if let bytes = try body() {
                exchange.requestBody = bytes
                if let remark = Self.remark(request, bytes.count) {
                    exchange.notes.append("its request body \(remark)")
                }
            } else {
                exchange.lacksRequestBody = Self.size(request, exchange.requestHeaders) != nil
            }
        } catch {
            // The answer can be played all the same.
            exchange.lacksRequestBody = true
            exchange.notes.append("its request body is not known: \(error.reason)")
        }
    }

    private func readTimes(into exchange: inout ForeignExchange) {
        let times = self.node["times"]
        let end = [times?["end"], times?["responseBegin"], times?["start"]].lazy.compactMap { $0?.text }.first
        exchange.time = end.flatMap { RecordedTime($0)?.instant }
        exchange.latency = self.node["durations"]?["latency"]?.int.flatMap { $0 > 0 && $0 < 1_000_000_000 ? $0 : nil }
    }

    private static func reason(_ firstLine: String?) -> String {
        let parts = firstLine?.split(separator: " ", maxSplits: 2) ?? []
        return parts.count > 2 ? String(parts[2]) : ""
    }

    /// The size of a body, if it is known and not 0.
    private static func size(_ message: ForeignNode, _ fields: [HeaderField]) -> Int? {
        let length = fields.first(named: "content-length").flatMap { Int($0) }
        return [message["sizes"]?["body"]?.int, length].compactMap { $0 }.first { $0 >= 0 }.flatMap {
            $0 > 0 ? $0 : nil
        }
    }

    /// The difference between a stored body and the size that the file gives. Charles counts the bytes on the wire, so that
    /// nothing can be said of bodies in chunks and of those that it stores decoded.
    private static func remark(_ message: ForeignNode, _ count: Int) -> String? {
        guard let size = message["sizes"]?["body"]?.int, size >= 0, size != count,
            message["body"]?["decoded"]?.bool != true, message["contentEncoding"]?.text == nil,
            !ForeignHeaders.fields(of: message["header"]?["headers"]).contains(named: "transfer-encoding")
        else { return nil }
        return "has \(Plural.text(count, "byte", "bytes")), though it is said to be of \(size)"
    }
}
