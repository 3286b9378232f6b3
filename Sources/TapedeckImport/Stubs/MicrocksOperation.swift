import TapedeckCore

/// An operation of a service of Microcks, such as `GET /pastry/{name}`.
struct MicrocksOperation {
    private let name: String
    /// `nil` if the file does not say it.
    private let dispatch: MicrocksDispatch?
    private let delay: ForeignNode?
    private let constraints: ForeignNode?

    /// - Parameter node: its properties, of a snapshot or of metadata.
    init(name: String, dispatch: MicrocksDispatch?, _ node: ForeignNode?) {
        self.name = name
        self.dispatch = dispatch
        self.delay = node?["delay"] ?? node?["defaultDelay"]
        self.constraints = node?["parameterConstraints"]
    }

    private static let methods: Set<String> = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"]

    /// The entries of its examples, in their order.
    func entries(_ examples: [MicrocksExample]) -> [StubEntry] {
        let words = self.name.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, Self.methods.contains(words[0]), words[1].hasPrefix("/") else {
            let reason = "its operation '\(self.name.prefix(80))' is no HTTP method with a path"
            return examples.map { StubEntry(line: $0.line, result: .failure(LeftOut(reason, line: $0.line))) }
        }
        let (method, path) = (words[0], words[1])
        // Of examples for equal parameters only the body differs.
        let keys = examples.map { example in example.parameters.map { "\($0.name)=\($0.values)" }.sorted() }
        let counts = keys.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let names = Set(examples.map(\.name))
        var types: [(condition: StubCondition, types: [String?])] = []
        let entries = examples.indices.map { index in
            let example = examples[index]
            let isAlone = counts[keys[index]] == 1
            let node = ForeignNode(example.response.content, line: example.line)
            return StubEntry.reading(node) { (_) throws(LeftOut) in
                var notes: [String] = []
                if self.constraints?.items.isEmpty == false {
                    notes.append("constraints on its parameters are left out")
                }
                var (condition, priority) = try self.condition(example, names, path, isAlone: isAlone, &notes)
                let type = example.response["mediaType"]?.text
                if let same = types.firstIndex(where: { $0.condition == condition }) {
                    // Of several responses for a request, `Accept` chooses another one than the first.
                    let isNew = !types[same].types.contains(type)
                    types[same].types.append(type)
                    if isNew, let type { condition = .all([condition, .field(\.headers, "Accept", .equals(type))]) }
                } else {
                    types.append((condition, [type]))
                }
                return try self.stub(example, method, path, condition, priority, notes)
            }
        }
        let lost = entries.first { if case .failure = $0.result { true } else { false } }
        guard let lost, self.dispatch != nil else { return entries }
        return entries.map { entry in
            guard case .success(let stub) = entry.result, stub.set.priority < 0 else { return entry }
            return entry.noting(StubNote.answersInstead(of: "example", line: lost.line))
        }
    }

    private func stub(
        _ example: MicrocksExample,
        _ method: String,
        _ path: String,
        _ condition: StubCondition,
        _ priority: Int,
        _ notes: [String]
    ) throws(LeftOut) -> ImportedStub {
        if let callback = example.response["callbackName"], callback.text?.isEmpty == false {
            throw LeftOut("it is for a callback: Tapedeck sends no requests of its own", line: example.line)
        }
        var behaviour = try MicrocksResponse(example.response).behaviour(line: example.line)
        if let delay = self.delay?.int, delay > 0 {
            behaviour.pacing.delay = .fixed(min(delay, 86_400_000))
        }
        let all = StubCondition.all([.request(RequestMatcher(methods: [method])), condition])
        var set = ResponseSet(
            name: "\(method) \(path)".inOneLine,
            request: try all.matcher(line: example.line),
            variants: [Variant(name: example.name.isEmpty ? "example" : example.name.inOneLine, behaviour: behaviour)]
        )
        set.priority = priority
        return ImportedStub(set: set, notes: notes)
    }

    // MARK: Conditions

    private func condition(
        _ example: MicrocksExample,
        _ names: Set<String>,
        _ path: String,
        isAlone: Bool,
        _ notes: inout [String]
    ) throws(LeftOut) -> (condition: StubCondition, priority: Int) {
        guard let dispatch = self.dispatch else {
            return (try self.ownCondition(example, path, isAlone: isAlone, &notes), 0)
        }
        if dispatch.fallback == example.name {
            return (try MicrocksPath(path).condition([:], line: example.line), -1)
        }
        let rules = dispatch.names
        let parts = Set(MicrocksPath(path).names)
        switch dispatch.style {
        case nil: return (try MicrocksPath(path).condition([:], line: example.line), 0)
        case "URI_PARTS", "SEQUENCE", "URI_PARAMS", "URI_ELEMENTS":
            let usesParts = dispatch.style != "URI_PARAMS"
            let usesParameters = dispatch.style == "URI_PARAMS" || dispatch.style == "URI_ELEMENTS"
            let given =
                example.criteria(rules) ?? Dictionary(example.parameters.map { ($0.name, $0.values) }) { $0 + $1 }
            var values: [String: String] = [:]
            for name in usesParts ? rules.parts.filter({ parts.contains($0) }) : [] {
                values[name] = given[name]?.first
            }
            var conditions = [try MicrocksPath(path).condition(values, line: example.line)]
            for name in usesParameters ? rules.parameters : [] where !parts.contains(name) {
                // A parameter that the rules name, and the example has not, keeps a request from matching.
                let value = given[name].map { $0.count == 1 ? ValueMatcher.equals($0[0]) : .values($0.sorted()) }
                conditions.append(.field(\.query, name, value ?? .absent))
            }
            return (.all(conditions), 0)
        case "QUERY_HEADER":
            var conditions = [try MicrocksPath(path).condition([:], line: example.line)]
            let criteria = example.criteria(([], rules.parts))
            for name in rules.parts {
                let value = criteria.map { $0[name]?.first } ?? example.header(name)
                conditions.append(.field(\.headers, name, value.map { .equals($0) } ?? .absent))
            }
            return (.all(conditions), 0)
        case "JSON_BODY":
            guard let cases = dispatch.cases else {
                throw LeftOut("the rules of its dispatcher `JSON_BODY` cannot be read", line: dispatch.line)
            }
            guard let found = try cases.condition(for: example.name, among: names, line: example.line) else {
                throw LeftOut("no request gets it: its dispatcher does not name it", line: example.line)
            }
            return (
                .all([try MicrocksPath(path).condition([:], line: example.line), found.condition]),
                found.isDefault ? -1 : 0
            )
        case "PROXY": throw LeftOut("its dispatcher forwards requests (`PROXY`): nothing to play", line: example.line)
        case let style?:
            throw LeftOut("its dispatcher `\(style.prefix(40))` cannot be stated", line: example.line)
        }
    }

    /// The condition for an operation whose dispatcher is not known: the parameters, and the body if only it differs.
    private func ownCondition(
        _ example: MicrocksExample,
        _ path: String,
        isAlone: Bool,
        _ notes: inout [String]
    ) throws(LeftOut) -> StubCondition {
        let template = MicrocksPath(path)
        let parts = Set(template.names)
        var values: [String: String] = [:]
        var conditions: [StubCondition] = []
        for (name, given) in example.parameters {
            if parts.contains(name) {
                values[name] = given.first
            } else {
                conditions.append(.field(\.query, name, given.count == 1 ? .equals(given[0]) : .values(given)))
            }
        }
        conditions.insert(try template.condition(values, line: example.line), at: 0)
        guard !isAlone else { return .all(conditions) }
        notes.append("its request's body and header fields are conditions, as the file has no dispatcher")
        for pair in example.request["headers"]?.pairs ?? [] {
            let name = pair.key.text ?? ""
            guard !["accept", "content-type"].contains(ASCII.lowercased(name)), name.utf8.allSatisfy(ASCII.isToken),
                !name.isEmpty, let value = MicrocksResponse.text(pair.value)
            else { continue }
            conditions.append(.field(\.headers, name, .equals(value)))
        }
        if let body = example.body {
            let bytes = Array(body.utf8)
            let isJSON = (try? JSONValue(parsing: bytes)) != nil
            conditions.append(
                .body(isJSON ? .json(InlineBody(form: .json, content: bytes)) : .text(.equals(body)))
            )
        }
        return .all(conditions)
    }
}
