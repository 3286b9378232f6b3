import TapedeckCore
import TapedeckJSON

/// A request of a file while it is read: its parts as its tool would send them.
struct RequestDraft {
    var method = "GET"
    var url = ""
    var fields: [HeaderField] = []
    var body: [UInt8] = []
    /// A name for people; `nil` without one.
    var title: String?
    /// The parts that are sent differently, in half a sentence each.
    var notes: [String] = []

    /// Replaces the fields of a name by one; the name is compared in any case.
    mutating func set(_ name: String, _ value: String) {
        self.fields.removeAll { $0.isNamed(name) }
        self.fields.append(HeaderField(name, value))
    }

    /// Adds a field unless there is one of its name.
    mutating func setDefault(_ name: String, _ value: String) {
        guard !self.fields.contains(named: name) else { return }
        self.fields.append(HeaderField(name, value))
    }

    /// Returns the value of an Authorization field for a user and a password (RFC 7617).
    static func basic(_ user: String, _ password: String) -> String {
        "Basic " + String(decoding: Base64.encode(Array("\(user):\(password)".utf8)), as: UTF8.self)
    }

    /// Returns the request as it goes over a wire.
    ///
    /// - Parameter line: the line of the request, for errors.
    /// - Throws: the reason for which it cannot be sent.
    func request(line: Int) throws(LeftOut) -> ForeignRequest {
        var draft = self
        let url = try RequestURL(self.url, line: line)
        if let user = url.user { draft.setDefault("Authorization", user) }
        var request = ForeignRequest()
        request.method = try self.checkedMethod(line: line)
        request.url = url.text
        request.body = self.body
        request.headers = draft.checkedFields(of: url)
        request.title = self.title.map(\.printable)
        request.notes = draft.notes.map(\.printable)
        return request
    }

    /// Returns the exchange of the request and a response, which the reader of entries checks.
    func exchange(
        status: Int,
        reason: String,
        fields: [HeaderField],
        body: [UInt8],
        line: Int
    ) throws(LeftOut)
        -> ForeignExchange
    {
        var exchange = ForeignExchange()
        exchange.method = self.method
        var draft = self
        let url = try RequestURL(self.url, line: line)
        if let user = url.user { draft.setDefault("Authorization", user) }
        exchange.url = url.text
        exchange.requestHeaders = draft.fields
        exchange.requestBody = self.body
        exchange.status = status
        exchange.reason = reason
        exchange.headers = fields
        exchange.body = body
        exchange.notes = self.notes
        return exchange
    }

    private func checkedMethod(line: Int) throws(LeftOut) -> String {
        let method = self.method.uppercased()
        guard !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken) else {
            throw LeftOut("'\(self.method.prefix(80))' is no method", line: line)
        }
        guard method != "CONNECT" else {
            throw LeftOut("it is a CONNECT, which opens a tunnel: nothing to record", line: line)
        }
        return method
    }

    /// Returns the fields that are valid on the wire and do not depend on the connection.
    private mutating func checkedFields(of url: RequestURL) -> [HeaderField] {
        let ofTheConnection: Set<String> = [
            "connection", "content-length", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
        ]
        var fields: [HeaderField] = []
        for field in self.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(ASCII.isToken) else {
                self.notes.append("the header field '\(field.name.prefix(80))' is left out: no field has that name")
                continue
            }
            let name = ASCII.lowercased(field.name)
            let value = RequestText.trimmed(field.value)
            if ofTheConnection.contains(name) { continue }
            guard value.inOneLine == value else {
                self.notes.append("the header field '\(field.name)' is left out: its value has a control character")
                continue
            }
            if name == "host", ASCII.equalsIgnoringCase(value, url.authority) { continue }
            fields.append(HeaderField(field.name, value))
        }
        return fields
    }
}
