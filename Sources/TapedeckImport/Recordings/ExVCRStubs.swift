import TapedeckCore
import TapedeckJSON

/// The records of a custom cassette of ExVCR as response sets. The answers to one request play in turn, and again from the
/// first.
struct ExVCRStubs {
    private(set) var entries: [StubEntry] = []
    private var sets: [(stub: ImportedStub, line: Int, number: Int)] = []
    private var places: [String: Int] = [:]

    init(_ nodes: [ForeignNode]) {
        var numbered: [(number: Int, entry: StubEntry)] = []
        for (number, node) in nodes.enumerated() {
            do throws(LeftOut) {
                try self.add(node, number)
            } catch {
                numbered.append((number, StubEntry(line: node.line, result: .failure(error))))
            }
        }
        numbered += self.sets.map { ($0.number, StubEntry(line: $0.line, result: .success($0.stub))) }
        self.entries = numbered.sorted { $0.number < $1.number }.map(\.entry)
    }

    /// True for a text with a regular expression in it, as ExVCR writes it: `~r/…/`.
    static func isPattern(_ text: String?) -> Bool {
        text.flatMap(self.pattern) != nil
    }

    /// The expression between `~r/` and the last slash.
    private static func pattern(_ text: String) -> String? {
        guard let start = text.firstRange(of: "~r/")?.upperBound, let end = text[start...].lastIndex(of: "/"),
            start < end
        else { return nil }
        return String(text[start..<end])
    }

    private mutating func add(_ node: ForeignNode, _ number: Int) throws(LeftOut) {
        let (request, response) = try ExVCRCassette.parts(of: node)
        let url = request["url"]?.text ?? ""
        let method = request["method"]?.text?.uppercased()
        let body = try self.body(request)
        let take = try self.take(response)
        let key = "\(method ?? "") \(url)\n\(body ?? "")"
        if let place = self.places[key] {
            self.sets[place].stub.set.variants[0].takes.append(take.take)
            self.sets[place].stub.notes += take.notes.filter { !self.sets[place].stub.notes.contains($0) }
            return
        }
        var matcher = RequestMatcher(methods: method.map { [$0] } ?? [])
        guard method?.utf8.allSatisfy(ASCII.isToken) ?? true, method != "" else {
            throw LeftOut("'\((method ?? "").prefix(80))' is no method", line: request.line)
        }
        matcher.url = try self.url(url, line: request["url"]?.line ?? request.line)
        var notes = take.notes
        if let body {
            matcher.body = [try self.condition(body, line: request.line)]
            notes.append("its request body is a condition, which it is in ExVCR only with match_requests_on")
        }
        if request["headers"].map({ !$0.pairs.isEmpty || !$0.items.isEmpty }) ?? false {
            notes.append("its request header fields are no condition, as in ExVCR without match_requests_on")
        }
        let behaviour = Behaviour(.takes([take.take]), after: .cycle)
        let set = ResponseSet(
            name: "\(method ?? "ANY") \(url)",
            request: matcher,
            variants: [Variant(name: "stub", behaviour: behaviour)]
        )
        self.places[key] = self.sets.count
        self.sets.append((ImportedStub(set: set, notes: notes), node.line, number))
    }

    private func url(_ text: String, line: Int) throws(LeftOut) -> URLMatcher {
        if let pattern = Self.pattern(text) {
            // The error of a bad expression is to name it as it is in the file.
            _ = try StubParts.pattern(pattern, .anywhere, line: line)
            // ExVCR looks for it anywhere in the URL.
            return .pattern(try StubParts.pattern(".*(?:\(pattern)).*", .whole, line: line))
        }
        guard let url = AbsoluteURL(text) else {
            throw LeftOut("'\(text.prefix(200))' is no http or https URL", line: line)
        }
        return .exact(url)
    }

    private func body(_ request: ForeignNode) throws(LeftOut) -> String? {
        let nodes = [request["body"], request["request_body"]]
        guard let body = nodes.lazy.compactMap({ $0 }).first(where: { !$0.isNull }) else { return nil }
        guard let text = body.text else { throw LeftOut("its request body is no text", line: body.line) }
        return text.isEmpty ? nil : text
    }

    private func condition(_ body: String, line: Int) throws(LeftOut) -> BodyMatcher {
        if let pattern = Self.pattern(body) {
            return .text(.pattern(try StubParts.pattern(pattern, .anywhere, line: line)))
        }
        let bytes = Array(body.utf8)
        if let first = body.first(where: { !$0.isWhitespace }), first == "{" || first == "[",
            (try? JSONValue(parsing: bytes)) != nil
        {
            return .json(InlineBody(form: .json, content: bytes))
        }
        return .bytes(InlineBody(form: .text, content: bytes))
    }

    private func take(_ response: ForeignNode) throws(LeftOut) -> (take: Take, notes: [String]) {
        let answer = try ExVCRResponse(response)
        if let fault = answer.fault { return (Take(fault: fault), answer.notes) }
        guard (200...999).contains(answer.status) else {
            let reason = answer.status == 0 ? "it has no status_code" : "no response has the status \(answer.status)"
            throw LeftOut(reason, line: response.line)
        }
        var take = Take(status: answer.status)
        take.reason = StubParts.reason(answer.reason, answer.status)
        take.headers = StubParts.headers(answer.headers)
        take.body = StubParts.body(answer.body)
        return (take, answer.notes)
    }
}
