import TapedeckCore
import TapedeckJSON

/// One request of a `.http` file.
struct HTTPFileRequest {
    let block: HTTPFileBlock
    let variables: HTTPFileVariables
    let side: ImportFile.Sides

    private static let methods: Set<String> = [
        "ACL", "CONNECT", "COPY", "DELETE", "GET", "GRAPHQL", "HEAD", "LOCK", "MKCALENDAR", "MKCOL", "MOVE", "OPTIONS",
        "PATCH", "POST", "PROPFIND", "PROPPATCH", "PUT", "QUERY", "SEARCH", "TRACE", "UNLOCK",
    ]
    /// Words in the place of a method for what is no HTTP request.
    private static let others: Set<String> = [
        "AMQP", "EVENTSOURCE", "GRPC", "MQTT", "RSOCKET", "SSE", "STOMP", "WEBSOCKET", "WS", "WSS",
    ]

    /// Returns the method of a request line, if it has one, and what follows.
    static func split(_ line: String) -> (method: String?, target: String) {
        let word = line.prefix { !$0.isWhitespace }
        let method = word.uppercased()
        guard word.endIndex < line.endIndex, Self.methods.contains(method) || Self.others.contains(method) else {
            return (nil, line)
        }
        return (method, RequestText.trimmed(line[word.endIndex...]))
    }

    /// Reads the request whose first line is `first`.
    func request(_ first: HTTPFileBlock.Line) throws(LeftOut) -> ForeignRequest {
        guard !self.block.isDisabled else { throw LeftOut("it is disabled", line: first.number) }
        var lines = self.block.rest[...]
        var target = RequestText.trimmed(first.text)
        guard !target.hasPrefix("HTTP/") else { throw LeftOut("it is a response, and no request", line: first.number) }
        while let next = lines.first, self.continues(next.text) {
            target += RequestText.trimmed(next.text)
            lines.removeFirst()
        }
        var draft = RequestDraft()
        draft.title = self.block.name
        if self.block.hasScript { draft.notes.append("the script before it is not run") }
        let (method, rest) = Self.split(target)
        guard method != nil || !Self.methods.contains(rest.uppercased()) else {
            throw LeftOut("it has no URL", line: first.number)
        }
        guard method.map({ !Self.others.contains($0) }) ?? true else {
            throw LeftOut("it is no HTTP request: \(method ?? "")", line: first.number)
        }
        draft.method = method ?? "GET"
        guard !rest.hasPrefix("curl ") else { throw LeftOut("it is a curl command", line: first.number) }
        try self.readFields(&lines, into: &draft)
        draft.url = try self.url(rest, draft.fields, line: first.number)
        try self.readBody(lines, into: &draft, line: first.number)
        try self.authorise(&draft, line: first.number)
        return try draft.request(line: first.number)
    }

    /// True if a line behind that of the request continues the URL.
    private func continues(_ line: String) -> Bool {
        let text = line.drop { $0.isWhitespace }
        guard let first = text.first else { return false }
        if first == "?" { return !text.hasPrefix("??") }
        if first == "&" { return true }
        guard text.startIndex > line.startIndex else { return false }
        // An indented field, which the REST Client reads, has a colon behind a name.
        let name = text.prefix { $0 != ":" }
        return name.endIndex == text.endIndex || !name.utf8.allSatisfy(ASCII.isToken)
    }

    private func url(_ written: String, _ fields: [HeaderField], line: Int) throws(LeftOut) -> String {
        var target = written
        if let version = target.ranges(of: " HTTP/").last, !target[version.upperBound...].contains(" ") {
            target = RequestText.trimmed(target[..<version.lowerBound])
        }
        target = try self.variables.filled(target, line: line)
        guard target != "*" else { throw LeftOut("its target is '*', which no cassette answers", line: line) }
        guard target.hasPrefix("/") else { return target }
        guard let host = fields.first(named: "host") else {
            throw LeftOut("its URL '\(target.prefix(200))' has no host, and it has no field Host", line: line)
        }
        if host.contains("://") { return "\(host.hasSuffix("/") ? String(host.dropLast()) : host)\(target)" }
        let isSecure = host.hasSuffix(":443") || host.hasSuffix(":8443")
        return "\(isSecure ? "https" : "http")://\(host)\(target)"
    }

    /// Reads the fields up to a blank line, and moves behind it.
    private func readFields(
        _ lines: inout ArraySlice<HTTPFileBlock.Line>,
        into draft: inout RequestDraft
    ) throws(LeftOut) {
        while let line = lines.first, !RequestText.isBlank(line.text), !HTTPFileBody.isTail(line.text) {
            lines.removeFirst()
            let text = RequestText.trimmed(line.text)
            if text.hasPrefix("??") { continue }
            let name = text.prefix { $0 != ":" }
            let isField = name.endIndex < text.endIndex && RequestText.trimmed(name).utf8.allSatisfy(ASCII.isToken)
            if !isField, line.text.first?.isWhitespace == true, var last = draft.fields.popLast() {
                // A further line of the value of a field (RFC 9112 section 5.2).
                last.value += " " + (try self.variables.filled(text, line: line.number))
                draft.fields.append(last)
                continue
            }
            guard isField else { throw LeftOut("'\(text.prefix(80))' is no header field", line: line.number) }
            let value = try self.variables.filled(
                RequestText.trimmed(text[name.endIndex...].dropFirst()),
                line: line.number
            )
            draft.fields.append(HeaderField(RequestText.trimmed(name), value))
        }
        if let line = lines.first, RequestText.isBlank(line.text) { lines.removeFirst() }
    }

    private func readBody(
        _ lines: ArraySlice<HTTPFileBlock.Line>,
        into draft: inout RequestDraft,
        line: Int
    ) throws(LeftOut) {
        let isMarked = ASCII.lowercased(draft.fields.first(named: "x-request-type") ?? "") == "graphql"
        if isMarked { draft.fields.removeAll { $0.isNamed("x-request-type") } }
        let isGraphQL = isMarked || draft.method == "GRAPHQL"
        let body = HTTPFileBody(Array(lines), type: draft.fields.mediaType, variables: self.variables, side: self.side)
        guard isGraphQL else {
            draft.body = try body.bytes()
            return
        }
        let isByMethod = draft.method == "GRAPHQL"
        if isByMethod { draft.method = "POST" }
        draft.setDefault("Content-Type", "application/json")
        draft.body = Array(try body.graphQL(namesOperation: !isByMethod, line: line).utf8)
    }

    /// Encodes the user and password of an Authorization field, which both clients do.
    private func authorise(_ draft: inout RequestDraft, line: Int) throws(LeftOut) {
        guard let value = draft.fields.first(named: "authorization") else { return }
        let words = value.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let scheme = words.first.map(ASCII.lowercased) else { return }
        switch scheme {
        case "basic" where words.count == 3:
            draft.set("Authorization", RequestDraft.basic(words[1], words[2]))
        case "basic" where words.count == 2 && words[1].contains(":"):
            let parts = words[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            draft.set("Authorization", RequestDraft.basic(parts[0], parts.count > 1 ? parts[1] : ""))
        case "digest" where words.count == 3, "aws", "cognito":
            throw LeftOut("its authentication '\(words[0])' cannot be sent", line: line)
        default: break
        }
    }
}
