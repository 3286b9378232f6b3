import TapedeckCore

/// Reads simulations of Hoverfly, schema versions 1 to 5.3.
package struct HoverflySimulation: ImportFormat {
    package let name = "hoverfly"
    package let lists = [["data", "pairs"]]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document else { return false }
        return document["data"]?["pairs"]?.isList == true || Self.isLegacy(document)
    }

    /// Before version 1 the pairs were in a separate list.
    private static func isLegacy(_ document: ForeignNode) -> Bool {
        guard let first = document["data"]?.items.first else { return false }
        return (first["request"]?["destination"] ?? first["requestTemplate"]) != nil && first["response"] != nil
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        let version = document["meta"]?["schemaVersion"]?.text ?? "v1"
        let pairs = document["data"]?["pairs"]?.items ?? document["data"]?.items ?? []
        let actions = document["data"]?["globalActions"]
        let delays = (actions?["delays"]?.items ?? []) + (actions?["delaysLogNormal"]?.items ?? [])
        let reader = HoverflyPair(
            version: version,
            delays: delays,
            literals: document["data"]?["literals"]?.items ?? [],
            variables: document["data"]?["variables"]?.items ?? [],
            side: file.side
        )
        return self.joined(
            pairs.map { node in
                let stub = StubEntry.reading(node) { (node) throws(LeftOut) in try reader.stub(node) }
                var part = ImportedFile(stubs: [stub])
                // Hoverfly counts requests with keys of its own, which begin at 1.
                part.state = (node["request"]?["requiresState"]?.pairs ?? []).compactMap { entry in
                    entry.key.text.flatMap { $0.hasPrefix("sequence:") ? StateEntry($0, "1") : nil }
                }
                return part
            }
        )
    }

    /// The pair with the highest score answers, and of several the last.
    package func joined(_ parts: [ImportedFile]) -> ImportedFile {
        // By what tells most of them apart: there may be thousands.
        var known: [String: [ResponseSet]] = [:]
        let stubs = parts.flatMap(\.stubs).map { entry in
            guard case .success(let stub) = entry.result else { return entry }
            // Hoverfly adds no pair whose request it has already.
            let (request, requires) = (stub.set.request, stub.set.requires)
            let key = "\(request.methods) \(request.url)"
            guard known[key]?.contains(where: { $0.request == request && $0.requires == requires }) != true else {
                let left = LeftOut("an earlier pair has its request, and answers", line: entry.line)
                return StubEntry(line: entry.line, result: .failure(left))
            }
            known[key, default: []].append(stub.set)
            return entry
        }
        var result = ImportedFile(stubs: stubs.reversed())
        result.isOrdered = true
        var seen: Set<String> = []
        result.state = parts.flatMap(\.state).filter { seen.insert($0.key).inserted }
        return result
    }
}

/// Reads the pairs of one simulation.
struct HoverflyPair {
    /// `v1` to `v5.3`.
    let version: String
    /// Delays of the whole simulation.
    let delays: [ForeignNode]
    /// Values that templates name.
    let literals: [ForeignNode]
    let variables: [ForeignNode]
    let side: ImportFile.Sides
    /// True for a pair of version 1 in which `*` is anything.
    private var isTemplate = false

    init(
        version: String,
        delays: [ForeignNode],
        literals: [ForeignNode],
        variables: [ForeignNode],
        side: @escaping ImportFile.Sides
    ) {
        self.version = version
        self.delays = delays
        self.literals = literals
        self.variables = variables
        self.side = side
    }

    private typealias Condition = (matcher: String, value: ForeignNode, node: ForeignNode)

    func stub(_ node: ForeignNode) throws(LeftOut) -> ImportedStub {
        guard let request = node["request"] ?? Self.template(node), request.isMap else {
            throw LeftOut("it has no request", line: node.line)
        }
        guard let response = node["response"], response.isMap else {
            throw LeftOut("it has no response", line: node.line)
        }
        var reader = self
        reader.isTemplate = request["requestType"]?.text == "template"
        return try reader.stub(request, response)
    }

    private func stub(_ request: ForeignNode, _ response: ForeignNode) throws(LeftOut) -> ImportedStub {
        var behaviour = try self.behaviour(response, self.segments(request))
        var notes: [String] = []
        var matcher = try self.matcher(request, capturesSegments: behaviour.isTemplate, &notes)
        notes += try self.readScheme(request, into: &matcher)
        behaviour.pacing.delay = try self.delay(request, response, &notes)
        if behaviour.isTemplate, response["body"]?.text?.contains("Request.") == true {
            notes.append(StubTemplate.escapesNote)
        }
        let path = try self.exact(request["path"]) ?? " any path"
        let name = "\(matcher.methods.first ?? "ANY") \(try self.exact(request["destination"]) ?? "")\(path)"
        var set = ResponseSet(name: name, request: matcher, variants: [Variant(name: "pair", behaviour: behaviour)])
        set.priority = try self.score(request)
        set.requires = (request["requiresState"]?.pairs ?? []).compactMap { pair in
            pair.key.text.map { StateEntry($0, pair.value.text ?? "") }
        }
        // Hoverfly sets first and removes then.
        let removed = (response["removesState"]?.items ?? []).compactMap(\.text)
        set.sets = (response["transitionsState"]?.pairs ?? []).compactMap { pair in
            pair.key.text.flatMap { removed.contains($0) ? nil : StateEntry($0, pair.value.text ?? "") }
        }
        set.sets += removed.map { StateEntry($0, nil) }
        let action = response["postServeAction"]?.text ?? ""
        if !action.isEmpty { notes.append("`postServeAction` is left out: Tapedeck runs no programs") }
        return ImportedStub(set: set, notes: notes)
    }

    // MARK: Requests

    /// The request of a template of before version 1, as version 1 has it.
    private static func template(_ node: ForeignNode) -> ForeignNode? {
        guard let template = node["requestTemplate"], template.isMap else { return nil }
        let type = ForeignPair(
            key: ForeignNode(.scalar("requestType", isPlain: false), line: template.line),
            value: ForeignNode(.scalar("template", isPlain: false), line: template.line)
        )
        return ForeignNode(.map(template.pairs + [type]), line: template.line)
    }

    private var isFirst: Bool { self.version == "v1" }

    /// The score with which Hoverfly ranks the pairs that match: 2 for an equal value, 1 for any other condition, and for a
    /// request with any query.
    private func score(_ request: ForeignNode) throws(LeftOut) -> Int {
        var nodes: [ForeignNode?] = ["method", "scheme", "destination", "path", "body"].map { request[$0] }
        let query = request["query"].flatMap { $0.isMap ? $0 : nil }
        nodes += query?.pairs.map(\.value) ?? []
        for key in ["headers", "headersWithMatchers", "queriesWithMatchers"] {
            nodes += request[key]?.pairs.map(\.value) ?? []
        }
        var score = query?.pairs.isEmpty ?? true ? 1 : 0
        for node in nodes {
            for condition in try self.conditions(node) {
                if condition.matcher == "form" {
                    for field in condition.value.pairs {
                        for inner in try self.conditions(field.value) { score += inner.matcher == "exact" ? 2 : 1 }
                    }
                } else {
                    score += condition.matcher == "exact" || condition.matcher == "array" ? 2 : 1
                }
            }
        }
        return score + (request["requiresState"]?.pairs.count ?? 0)
    }

    /// The segments of the path, for templates.
    private func segments(_ request: ForeignNode) throws(LeftOut) -> PathSegments {
        guard let condition = try self.conditions(request["path"]).last, let text = condition.value.text else {
            return PathSegments(path: "")
        }
        switch condition.matcher {
        case "exact": return PathSegments(path: text)
        case "glob": return PathSegments(pattern: StubParts.glob(path: text))
        default: return PathSegments(pattern: text)
        }
    }

    private func matcher(
        _ request: ForeignNode,
        capturesSegments: Bool,
        _ notes: inout [String]
    ) throws(LeftOut) -> RequestMatcher {
        var matcher = RequestMatcher()
        for condition in try self.conditions(request["method"]) {
            guard condition.matcher == "exact", let method = condition.value.text else {
                if condition.matcher == "glob", condition.value.text == "*" { continue }
                throw LeftOut("its condition on the method cannot be stated", line: condition.node.line)
            }
            guard matcher.methods.isEmpty || matcher.methods == [method] else {
                throw LeftOut("its conditions on the method cannot all be met", line: condition.node.line)
            }
            matcher.methods = [method]
        }
        try self.readURL(request, capturesSegments, into: &matcher)
        try self.readQuery(request, into: &matcher)
        // Version 1 recorded the fields, and did not compare them.
        let isRecording = self.isFirst && !self.isTemplate
        if isRecording, request["headers"]?.pairs.isEmpty == false {
            notes.append("its header fields are no condition, as in the version of Hoverfly that recorded it")
        }
        for pair in isRecording ? [] : request["headers"]?.pairs ?? [] {
            matcher.headers.append(.init(pair.key.text ?? "", try self.field(pair.value)))
        }
        for pair in request["headersWithMatchers"]?.pairs ?? [] {
            matcher.require(RequestMatcher(headers: [.init(pair.key.text ?? "", try self.field(pair.value))]))
        }
        for condition in try self.conditions(request["body"]) {
            if condition.matcher == "exact", condition.value.text ?? "" == "" {
                if !self.isFirst { matcher.body.append(.text(.equals(""))) }
                continue
            }
            matcher.require(RequestMatcher(body: [try self.body(condition, &notes)]))
        }
        return matcher
    }

    /// The conditions on a field; of versions before 5 a text, or a map of names such as `exactMatch`.
    private func conditions(_ node: ForeignNode?) throws(LeftOut) -> [Condition] {
        guard let node, !node.isNull else { return [] }
        if node.isMap, node["matcher"] == nil, node["value"] == nil {
            return node.pairs.compactMap { pair in
                guard let key = pair.key.text, key.hasSuffix("Match"), !pair.value.isNull else { return nil }
                return (key.dropLast(5).lowercased(), pair.value, pair.key)
            }
        }
        if let text = node.text {
            if self.isFirst, text.isEmpty { return [] }
            return [(text.contains("*") && self.isFirst && self.isTemplate ? "glob" : "exact", node, node)]
        }
        var result: [Condition] = []
        for item in node.isList ? node.items : [node] {
            guard item.isMap else {
                result.append(("exact", item, item))
                continue
            }
            let name = item["matcher"]?.text?.lowercased() ?? ""
            if let next = item["doMatch"], !next.isNull {
                throw LeftOut("its condition `doMatch` cannot be stated", line: next.line)
            }
            guard let value = item["value"] else { throw LeftOut("a condition has no value", line: item.line) }
            result.append((name.isEmpty ? "exact" : name, value, item))
        }
        return result
    }

    private func exact(_ node: ForeignNode?) throws(LeftOut) -> String? {
        try self.conditions(node).first { $0.matcher == "exact" }?.value.text
    }

    private func readURL(
        _ request: ForeignNode,
        _ capturesSegments: Bool,
        into matcher: inout RequestMatcher
    ) throws(LeftOut) {
        func captured(_ pattern: String) -> String {
            capturesSegments ? PathSegments(pattern: pattern).pattern : pattern
        }
        matcher.refusesOtherQuery = false
        let paths = try self.conditions(request["path"])
        matcher.url = .pattern(try StubParts.pattern("/.*", .whole, line: request.line))
        for (number, condition) in paths.enumerated() {
            let url = try self.url(condition, captured)
            // All of several must match.
            if number == 0 { matcher.url = url } else { matcher.all.append(RequestMatcher(url: url)) }
        }
        if case .pattern = matcher.url { matcher.refusesOtherQuery = nil }
        for condition in try self.conditions(request["destination"]) {
            let text = condition.value.text ?? ""
            let isAny = condition.matcher == "exact" && text.isEmpty || condition.matcher == "glob" && text == "*"
            if isAny { continue }
            guard matcher.host == nil else {
                throw LeftOut("its several conditions on the destination cannot be stated", line: condition.node.line)
            }
            switch condition.matcher {
            case "exact": matcher.host = .names([text])
            case "glob":
                matcher.host = .pattern(try StubParts.pattern(StubParts.glob(text), .whole, line: condition.node.line))
            case "regex":
                matcher.host = .pattern(try StubParts.pattern(".*(?:\(text)).*", .whole, line: condition.node.line))
            default:
                throw LeftOut(
                    "its condition `\(condition.matcher)` on the destination cannot be stated",
                    line: condition.node.line
                )
            }
        }
    }

    private func url(_ condition: Condition, _ captured: (String) -> String) throws(LeftOut) -> URLMatcher {
        let text = condition.value.text ?? ""
        let line = condition.node.line
        switch condition.matcher {
        case "exact":
            // Hoverfly compares the path without percent-encoding.
            let path = text.hasPrefix("/") ? text : "/\(text)"
            return .exactPath(path.replacing("%", with: "%25"))
        case "glob":
            return try StubParts.url(matching: captured(StubParts.glob(path: text)), isPathAlone: true, line: line)
        case "regex":
            try Self.checkSyntax(text, line: line)
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != ASCII.percent }) else {
                throw LeftOut("its pattern for the path has characters that URLs encode", line: line)
            }
            // Hoverfly looks for the pattern anywhere in the path.
            if text.hasPrefix("^"), !text.contains("$"), !text.contains("|"), !text.contains("(?") {
                return try StubParts.url(matching: captured(text) + "[^?]*", isPathAlone: true, line: line)
            }
            let inner = PathPattern.anchored(PathPattern.withoutQuery(text), end: "(?=\\?|\\z)")
            let source = "/{0}[^?]*?(?:\(inner))[^?]*(?:\\?.*)?"
            return .pattern(try StubParts.pattern(source, .whole, line: line))
        default:
            throw LeftOut("its condition `\(condition.matcher)` on the path cannot be stated", line: line)
        }
    }

    /// Go's syntax of regular expressions has no look-around, references and possessive quantifiers: Hoverfly never
    /// matches such a pattern.
    private static func checkSyntax(_ source: String, line: Int) throws(LeftOut) {
        let unknown = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "*+", "++", "?+", "}+"] + (1...9).map { "\\\($0)" }
        guard let found = unknown.first(where: source.contains) else { return }
        throw LeftOut("its pattern has \(found), with which Hoverfly never matches", line: line)
    }

    /// Returns notes on what is left out.
    private func readScheme(_ request: ForeignNode, into matcher: inout RequestMatcher) throws(LeftOut) -> [String] {
        var notes: [String] = []
        for condition in try self.conditions(request["scheme"]) {
            let text = condition.value.text ?? ""
            if text.isEmpty || condition.matcher == "glob" && (text == "*" || text == "http*") { continue }
            guard condition.matcher == "exact" else {
                notes.append("its condition `\(condition.matcher)` on the scheme is left out: it answers on both")
                continue
            }
            let note = try StubParts.require(scheme: text, in: &matcher, line: condition.node.line)
            if let note { notes.append(note) }
        }
        return notes
    }

    private func readQuery(_ request: ForeignNode, into matcher: inout RequestMatcher) throws(LeftOut) {
        let old =
            request["deprecatedQuery"]
            ?? (request["query"]?.isMap == true && self.version.hasPrefix("v5") ? nil : request["query"])
        for condition in try self.conditions(old) {
            let text = condition.value.text ?? ""
            guard condition.matcher == "exact" else {
                if condition.matcher == "glob", text == "*" { continue }
                throw LeftOut("its condition on the whole query cannot be stated", line: condition.node.line)
            }
            if case .exactPath = matcher.url { matcher.refusesOtherQuery = true }
            for part in text.split(separator: "&") {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let value = pair.count > 1 ? PercentEncoding.text(pair[1]) ?? pair[1] : ""
                matcher.query.append(.init(PercentEncoding.text(pair[0]) ?? pair[0], .equals(value)))
            }
        }
        for pair in request["queriesWithMatchers"]?.pairs ?? [] {
            matcher.query.append(.init(pair.key.text ?? "", try self.field(pair.value)))
        }
        matcher.ignoresQueryNameCase = !matcher.query.isEmpty
        guard old == nil, let query = request["query"], query.isMap else { return }
        matcher.ignoresQueryNameCase = !matcher.query.isEmpty || !query.pairs.isEmpty
        if query.pairs.isEmpty, case .exactPath = matcher.url { matcher.refusesOtherQuery = true }
        for pair in query.pairs { matcher.query.append(.init(pair.key.text ?? "", try self.field(pair.value))) }
    }

    // MARK: Values

    private func field(_ node: ForeignNode) throws(LeftOut) -> ValueMatcher {
        var values: [ValueMatcher] = []
        // Before version 5 a list of texts: Hoverfly joins them.
        if node.isList, node.items.allSatisfy({ $0.text != nil }) {
            let text = node.items.compactMap(\.text).joined(separator: ";")
            return text.contains("*") ? try StubParts.whole(StubParts.glob(text), line: node.line) : .equals(text)
        }
        for condition in try self.conditions(node) { values.append(try self.value(condition)) }
        return try StubParts.all(values, isOneValue: true, line: node.line)
    }

    private func value(_ condition: Condition) throws(LeftOut) -> ValueMatcher {
        let text = condition.value.text ?? ""
        let line = condition.node.line
        switch condition.matcher {
        case "exact": return .equals(text)
        case "glob": return try StubParts.whole(StubParts.glob(text), lines: true, line: line)
        case "regex":
            try Self.checkSyntax(text, line: line)
            // In Go `$` is the end of the text.
            let source = PathPattern.anchored(text, end: "\\z") + StubParts.inCharactersIfNeeded(text)
            return .pattern(try StubParts.pattern(source, .anywhere, line: line))
        case "negate":
            // A name without a value does not meet it.
            return .all([.present, .not(.equals(text))])
        case "array": return try self.array(condition)
        case "xml", "xmltemplated": return try StubParts.xml(text, line: line)
        default: throw LeftOut("its condition `\(condition.matcher)` cannot be stated", line: line)
        }
    }

    /// A list of values, which may ignore others, the order and the number of each.
    private func array(_ condition: Condition) throws(LeftOut) -> ValueMatcher {
        let texts = condition.value.items.compactMap(\.text)
        let config = condition.node["config"]
        let ignored = ["ignoreUnknown", "ignoreOrder", "ignoreOccurrences"].map { config?[$0]?.bool == true }
        switch (ignored[0], ignored[1], ignored[2]) {
        case (false, false, false): return .values(texts)
        case (false, true, false): return texts.count == 1 ? .values(texts) : .valuesInAnyOrder(texts)
        case (true, true, true): return .present
        case (true, true, false) where texts.count == 1: return .equals(texts[0])
        case (false, true, true):
            let known = texts.map { StubParts.escaped($0) }.joined(separator: "|")
            return .all([.present, .not(try StubParts.whole("(?!(?:\(known))\\z).*", line: condition.node.line))])
        default: throw LeftOut("its condition `array` with this `config` cannot be stated", line: condition.node.line)
        }
    }

    private func body(_ condition: Condition, _ notes: inout [String]) throws(LeftOut) -> BodyMatcher {
        switch condition.matcher {
        case "json": return try StubParts.json(equal: condition.value)
        case "jsonpartial":
            notes.append("its JSON must be at the top of the body: Hoverfly finds it at any depth")
            return try StubParts.json(within: condition.value)
        case "xml":
            return try StubParts.xml(body: condition.value.text ?? "", notes: &notes, line: condition.node.line)
        case "xmltemplated":
            notes.append(StubParts.xmlNote)
            return .text(try StubParts.xml(condition.value.text ?? "", line: condition.node.line))
        case "jsonpath":
            let path = condition.value.text ?? ""
            return try StubJSONPath.matcher(path, countsNothing: true, line: condition.node.line)
        case "form":
            var fields: [RequestMatcher.Field] = []
            for pair in condition.value.pairs { fields.append(.init(pair.key.text ?? "", try self.field(pair.value))) }
            return .form(fields, refusesOthers: false)
        default: return .text(try self.value(condition))
        }
    }

    // MARK: Responses

    private func behaviour(_ response: ForeignNode, _ segments: PathSegments) throws(LeftOut) -> Behaviour {
        var (take, body) = try self.take(response)
        let text = String(validating: body, as: UTF8.self) ?? ""
        let fieldsHold = take.headers.contains { $0.value.contains("{{") }
        let isTemplate = response["templated"]?.bool == true
        if isTemplate,
            let state = response["transitionsState"]?.pairs.first(where: { $0.value.text?.contains("{{") == true })
        {
            throw LeftOut("the state that it sets is a template, which has no equal", line: state.key.line)
        }
        guard isTemplate, text.contains("{{") || fieldsHold else { return Behaviour(.takes([take])) }
        let template = HoverflyTemplate(segments: segments, literals: self.literals, variables: self.variables)
        do throws(StubTemplate.UnknownTag) {
            if text.contains("{{") { take.body = StubParts.body(Array(try template.converted(text).utf8)) }
            for index in take.headers.indices {
                take.headers[index].value = try template.converted(take.headers[index].value)
            }
        } catch {
            throw LeftOut("its template has a helper without an equal: \(error.text)", line: response.line)
        }
        return Behaviour(.takes([take]), isTemplate: true)
    }

    private func take(_ response: ForeignNode) throws(LeftOut) -> (take: Take, body: [UInt8]) {
        var take = Take(status: try StubParts.status(response["status"]))
        take.headers = StubParts.headers(ForeignHeaders.fields(of: response["headers"]))
        var body = Array((response["body"]?.text ?? "").utf8)
        if let file = response["bodyFile"], let name = file.text, !name.isEmpty {
            guard let bytes = self.side(name) else {
                throw LeftOut("its body file '\(name.prefix(200))' is not there", line: file.line)
            }
            body = bytes
        } else if response["encodedBody"]?.bool == true {
            guard let bytes = ForeignText.base64(response["body"]?.text ?? "") else {
                throw LeftOut("its body is no base64", line: response["body"]?.line ?? response.line)
            }
            body = bytes
        }
        take.body = StubParts.body(body)
        return (take, body)
    }

    private func delay(
        _ request: ForeignNode,
        _ response: ForeignNode,
        _ notes: inout [String]
    ) throws(LeftOut) -> Pacing.Delay? {
        if let milliseconds = response["fixedDelay"]?.int, milliseconds > 0 { return .fixed(milliseconds) }
        if let delay = response["logNormalDelay"], delay.isMap { return Self.logNormal(delay, &notes) }
        let destination = try self.exact(request["destination"])
        let path = try self.exact(request["path"])
        if destination == nil || path == nil, !self.delays.isEmpty {
            notes.append("delays of the whole simulation count for pairs with an exact destination and path alone")
        }
        let place = "\(destination ?? "")\(path ?? "")"
        let method = try self.exact(request["method"]) ?? ""
        for delay in self.delays {
            let only = delay["httpMethod"]?.text ?? ""
            guard only.isEmpty || only.uppercased() == method.uppercased() else { continue }
            let pattern = try StubParts.pattern(delay["urlPattern"]?.text ?? ".", .anywhere, line: delay.line)
            guard ValueMatcher.pattern(pattern).matches([place], scratch: PatternScratch()) else { continue }
            return delay["delay"]?.int.map { .fixed($0) } ?? Self.logNormal(delay, &notes)
        }
        return nil
    }

    /// Hoverfly draws by mean and median.
    private static func logNormal(_ node: ForeignNode, _ notes: inout [String]) -> Pacing.Delay {
        if ["min", "max"].contains(where: { node[$0]?.int ?? 0 > 0 }) {
            notes.append("`min` and `max` of its delay are left out: a delay may be shorter or longer")
        }
        // A day is longer than any test waits.
        let number = { (name: String) in
            Double(node[name]?.text ?? "").flatMap { $0.isFinite ? min(max($0, 0), 86_400_000) : nil }
        }
        let median = number("median") ?? 0
        let mean = number("mean") ?? median
        let ratio = median > 0 && mean > median ? mean / median : 1
        return .logNormal(median: Int(median), sigma: (2 * NaturalLogarithm.of(ratio)).squareRoot())
    }
}

/// The logarithm to the base e, without the C library.
enum NaturalLogarithm {
    /// The logarithm of a number from 1 on.
    static func of(_ value: Double) -> Double {
        var rest = value
        var halvings = 0.0
        while rest > 1.5, halvings < 1_100 {
            rest /= 2
            halvings += 1
        }
        // The series of the inverse hyperbolic tangent.
        let term = (rest - 1) / (rest + 1)
        var power = term
        var sum = 0.0
        for step in stride(from: 1.0, to: 41.0, by: 2.0) {
            sum += power / step
            power *= term * term
        }
        return 2 * sum + halvings * 0.693_147_180_559_945_3
    }
}
