import TapedeckCore

/// The response of a record of ExVCR, or its error.
struct ExVCRResponse {
    private(set) var status = 0
    private(set) var reason = ""
    private(set) var headers: [HeaderField] = []
    private(set) var body: [UInt8] = []
    private(set) var fault: Fault?
    private(set) var detail: String?
    private(set) var notes: [String] = []

    init(_ node: ForeignNode) throws(LeftOut) {
        // Any other type is that of an answer, also one that a person wrote.
        guard node["type"]?.text != "error" else {
            try self.readError(node)
            return
        }
        let status = node["status_code"]
        // httpc gives the parts of the status line.
        self.status = status?.int ?? status?.items.lazy.compactMap(\.int).first ?? 0
        if let items = status?.items, items.count == 3 { self.reason = items[2].text ?? "" }
        self.headers = ForeignHeaders.fields(of: node["headers"])
        self.body = try Self.body(node)
    }

    private static func body(_ node: ForeignNode) throws(LeftOut) -> [UInt8] {
        guard let body = node["body"], !body.isNull else { return [] }
        guard node["binary"]?.bool == true else {
            if let text = body.text, text.hasPrefix("#Reference<"), text.hasSuffix(">") {
                throw LeftOut("its body was not recorded: the test did not read it", line: body.line)
            }
            return try ForeignBody.bytes(body)
        }
        guard let text = body.text, let term = ForeignText.strictBase64(text) else {
            throw LeftOut("its body is no base64", line: body.line)
        }
        guard let bytes = self.binary(of: term) else {
            throw LeftOut("its body is no binary in Erlang's external term format", line: body.line)
        }
        return bytes
    }

    /// The bytes of a binary in Erlang's external term format: 131, 109, the length in four bytes, the bytes; `nil` for
    /// any other term.
    private static func binary(of term: [UInt8]) -> [UInt8]? {
        guard term.count >= 6, term[0] == 131, term[1] == 109 else { return nil }
        let length = term[2..<6].reduce(0) { $0 << 8 | Int($1) }
        let content = term[6...]
        return content.count < length ? nil : Array(content.prefix(length))
    }

    // MARK: Errors

    private mutating func readError(_ node: ForeignNode) throws(LeftOut) {
        let text = Self.text(node["body"], depth: 0)
        let words = Set(
            text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }.map {
                ASCII.lowercased(String($0))
            }
        )
        guard let named = Self.faults.first(where: { !words.isDisjoint(with: $0.words) }) else {
            throw LeftOut("its error '\(text.prefix(120))' is none that a server or network causes", line: node.line)
        }
        if named.words.contains("failed_connect") {
            self.notes.append("failed_connect does not say why the connection failed: it plays as refused")
        }
        self.fault = named.fault
        self.detail = String(text.prefix(200))
    }

    /// The words of an error: ibrowse writes a list, Finch the term of a struct.
    private static func text(_ node: ForeignNode?, depth: Int) -> String {
        guard let node, depth < 8 else { return "" }
        return node.text ?? node.items.map { self.text($0, depth: depth + 1) }.joined(separator: " ")
    }

    /// Reasons of hackney, httpc, ibrowse and Mint; the more exact ones first.
    private static let faults: [(words: Set<String>, fault: Fault)] = [
        (["nxdomain"], .nameNotResolved),
        (["econnrefused", "ehostunreach", "enetunreach"], .connectionRefused),
        (["econnreset"], .connectionReset),
        (["timeout", "connect_timeout", "recv_timeout", "etimedout", "req_timedout"], .timeout),
        (["tls_alert"], .tlsHandshake),
        (["closed", "connection_closed", "connection_closing", "socket_closed_remotely"], .emptyResponse),
        (["failed_connect", "conn_failed"], .connectionRefused),
    ]
}
