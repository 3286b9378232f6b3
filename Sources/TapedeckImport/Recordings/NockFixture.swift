import TapedeckCore
import TapedeckJSON

/// Reads fixtures of nock (`nock.back`, `nock.recorder`), of all versions that wrote JSON.
enum NockFixture {
    /// True if a document is such a fixture: a list of definitions, or one of them.
    static func recognises(_ document: ForeignNode) -> Bool {
        let definitions = self.definitions(document)
        return !definitions.isEmpty && definitions.contains { $0["scope"] != nil && $0["path"] != nil }
    }

    /// The entries of a fixture, in its order.
    static func entries(_ document: ForeignNode) -> [ForeignEntry] {
        self.definitions(document).map { node in
            ForeignEntry.reading(node) { (node) throws(LeftOut) in try Self.exchange(node) }
        }
    }

    private static func definitions(_ document: ForeignNode) -> [ForeignNode] {
        document.isMap ? [document] : document.items
    }

    private static func exchange(_ node: ForeignNode) throws(LeftOut) -> ForeignExchange {
        guard let scope = node["scope"]?.text else { throw LeftOut("it has no scope", line: node.line) }
        guard let path = node["path"]?.text else { throw LeftOut("it has no path", line: node.line) }
        guard path != "*" else { throw LeftOut("its path is '*': write a set with a pattern for it", line: node.line) }
        var exchange = ForeignExchange()
        exchange.method = node["method"]?.text ?? "GET"
        exchange.url = self.origin(scope, port: node["port"]?.int) + path
        exchange.requestHeaders = ForeignHeaders.fields(of: node["reqheaders"])
        exchange.requestBody = self.requestBody(node["body"])
        exchange.status = node["reply"]?.int ?? node["status"]?.int ?? 200
        exchange.headers = self.headers(node)
        exchange.body = try self.responseBody(node, &exchange.headers)
        exchange.latency = node["delay"]?.int
        if node["badheaders"]?.items.isEmpty == false {
            exchange.notes.append("badheaders is not taken over: requests with these fields are answered too")
        }
        return exchange
    }

    private static func origin(_ scope: String, port: Int?) -> String {
        let scope = scope.hasSuffix("/") ? String(scope.dropLast()) : scope
        guard let port, !scope.drop(while: { $0 != "/" }).contains(":") else { return scope }
        return "\(scope):\(port)"
    }

    /// `*` and an empty text mean any body; an object is the sent body, parsed as JSON.
    private static func requestBody(_ node: ForeignNode?) -> [UInt8] {
        guard let node, !node.isNull, node.text != "*" else { return [] }
        guard case .scalar(let text, _) = node.content else { return ForeignJSON.text(node, .javaScript) }
        // A binary body is recorded in hexadecimal, and nothing says so.
        return Array(text.utf8)
    }

    private static func headers(_ node: ForeignNode) -> [HeaderField] {
        if let raw = node["rawHeaders"] {
            let isFlat = raw.items.allSatisfy { !$0.isList && !$0.isMap }
            return raw.isList && isFlat ? ForeignHeaders.alternating(raw.items) : ForeignHeaders.fields(of: raw)
        }
        return ForeignHeaders.fields(of: node["headers"])
    }

    private static func responseBody(
        _ node: ForeignNode,
        _ headers: inout [HeaderField]
    ) throws(LeftOut) -> [UInt8] {
        guard let response = node["response"], !response.isNull else { return [] }
        let isBinary = node["responseIsBinary"]?.bool == true
        let isCoded = headers.first(named: "content-encoding")?.isEmpty == false
        if isBinary || isCoded, let bytes = self.hex(response) { return bytes }
        guard !isBinary else { throw LeftOut("its response is no hexadecimal text", line: response.line) }
        var body = response
        if let text = response.text, !text.isEmpty, case .scalar(_, isPlain: false) = response.content {
            // nock parses texts that are JSON, and reformats them.
            guard let parsed = self.parsed(text) else { return Array(text.utf8) }
            if case .scalar(let inner, isPlain: false) = parsed.content { return Array(inner.utf8) }
            body = parsed
        }
        if case .scalar(let text, isPlain: false) = body.content { return Array(text.utf8) }
        if !headers.contains(named: "content-type") {
            headers.append(HeaderField("Content-Type", "application/json"))
        }
        return ForeignJSON.text(body, .javaScript)
    }

    /// The bytes of a hexadecimal text, or of a list of them, which are the pieces in which the body came.
    private static func hex(_ node: ForeignNode) -> [UInt8]? {
        guard node.isList else { return node.text.flatMap(ForeignText.hex) }
        var bytes: [UInt8] = []
        for item in node.items {
            guard let piece = item.text.flatMap(ForeignText.hex) else { return nil }
            bytes += piece
        }
        return bytes
    }

    /// Returns a JSON text as a node, or `nil` if it is invalid in JavaScript.
    private static func parsed(_ text: String) -> ForeignNode? {
        guard (try? JSONValue(parsing: Array(text.utf8))) != nil else { return nil }
        return try? ForeignNode.documents(of: Array(text.utf8)).first
    }
}
