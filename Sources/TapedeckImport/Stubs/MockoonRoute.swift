import TapedeckCore

/// A route of a Mockoon environment with its responses.
struct MockoonRoute {
    private let node: ForeignNode
    private let environment: ForeignNode
    private let side: ImportFile.Sides
    /// The responses; of old files the route itself is one.
    private let responses: [ForeignNode]

    init(_ node: ForeignNode, environment: ForeignNode, side: @escaping ImportFile.Sides) {
        self.node = node
        self.environment = environment
        self.side = side
        let isOld = node["responses"] == nil && (node["body"] ?? node["statusCode"] ?? node["filePath"]) != nil
        self.responses = isOld ? [node] : node["responses"]?.items ?? []
    }

    private enum Mode {
        case rules
        case fallback
        case first
        case sequence
        case random
    }

    private var mode: Mode {
        switch self.node["responseMode"]?.text {
        case "SEQUENTIAL": .sequence
        case "RANDOM": .random
        case "DISABLE_RULES": .first
        case "FALLBACK": .fallback
        default:
            if self.node["sequentialResponse"]?.bool == true {
                .sequence
            } else {
                self.node["randomResponse"]?.bool == true ? .random : .rules
            }
        }
    }

    private var name: String {
        let method = self.node["method"]?.text ?? ""
        let parts = [self.environment["endpointPrefix"]?.text ?? "", self.node["endpoint"]?.text ?? ""]
        let path = parts.filter { !$0.isEmpty }.joined(separator: "/")
        return "\(method.isEmpty || method == "all" ? "ANY" : method.uppercased()) /\(path)".inOneLine
    }

    /// The entries of the route: one for each response, or one for all that take turns.
    ///
    /// - Parameter priority: the priority of the first set; afterwards that of the next route.
    func entries(_ priority: inout Int) -> [StubEntry] {
        let line = self.node.line
        func left(_ reason: String) -> [StubEntry] {
            [StubEntry(line: line, result: .failure(LeftOut(reason, line: line)))]
        }
        if self.node["enabled"]?.bool == false { return left("it is disabled") }
        switch self.node["type"]?.text {
        case "crud": return left("it is a CRUD route, whose data changes with the requests: nothing to play")
        case "ws": return left("it is a route for messages: cassettes hold no WebSocket messages")
        default: break
        }
        guard !self.responses.isEmpty else { return left("it has no responses") }
        let path: MockoonPath
        do throws(LeftOut) {
            path = try MockoonPath(
                prefix: self.environment["endpointPrefix"]?.text ?? "",
                endpoint: self.node["endpoint"]?.text ?? "",
                line: line
            )
        } catch {
            return [StubEntry(line: line, result: .failure(error))]
        }
        let counted = MockoonCount(self.responses)
        if self.mode == .sequence || self.mode == .random || self.mode != .first && counted.isCount {
            defer { priority = Self.below(priority) }
            return [self.turns(path, counted, priority)]
        }
        return self.alternatives(path, &priority)
    }

    private static func below(_ priority: Int) -> Int { max(priority - 1, -999_999) }

    private func condition(_ path: MockoonPath, isTemplate: Bool) throws(LeftOut) -> StubCondition {
        let url = isTemplate ? try path.capturing() : try path.condition()
        let method = self.node["method"]?.text ?? "all"
        guard !method.isEmpty, method != "all" else { return url }
        guard method.utf8.allSatisfy(ASCII.isToken) else {
            throw LeftOut("no request has the method \(method.prefix(80))", line: self.node["method"]?.line ?? 0)
        }
        return .all([.request(RequestMatcher(methods: [method.uppercased()])), url])
    }

    private func response(
        _ node: ForeignNode,
        _ path: MockoonPath,
        _ notes: inout [String]
    ) throws(LeftOut) -> Behaviour {
        try MockoonResponse(node, environment: self.environment, side: self.side).behaviour(path, &notes)
    }

    // MARK: Responses by rules

    private func alternatives(_ path: MockoonPath, _ priority: inout Int) -> [StubEntry] {
        let rules = MockoonRules(path: path, method: self.node["method"]?.text ?? "all")
        let usesRules = self.mode != .first
        let isDefault = { (node: ForeignNode) in node["default"]?.bool == true }
        let main = self.responses.firstIndex(where: isDefault) ?? 0
        var entries: [StubEntry] = []
        var lost: StubEntry?
        // The first response whose rules hold, then the default one.
        for node in self.responses where usesRules && node["rules"]?.items.isEmpty == false {
            let entry = StubEntry.reading(node) { (node) throws(LeftOut) in
                var notes: [String] = []
                let condition = try rules.condition(node, &notes)
                if condition == .never { throw LeftOut(StubCondition.neverHolds, line: node.line) }
                return try self.stub(node, path, condition, priority, notes)
            }
            entries.append(self.noting(lost, entry))
            if lost == nil, case .failure(let error) = entry.result, error.reason != StubCondition.neverHolds {
                lost = entry
            }
            priority = Self.below(priority)
        }
        let others = self.responses.indices.filter { $0 != main }
        // Others without rules are variants, which play if they are selected.
        var plays = true
        for index in [main] + others {
            let node = self.responses[index]
            let hasRules = usesRules && node["rules"]?.items.isEmpty == false
            if hasRules, index != main { continue }
            if self.mode == .fallback {
                guard !hasRules else { continue }
                let reason = "no request gets it: without a rule that holds, the next route answers"
                entries.append(StubEntry(line: node.line, result: .failure(LeftOut(reason, line: node.line))))
                continue
            }
            let entry = StubEntry.reading(node) { (node) throws(LeftOut) in
                guard plays else {
                    throw LeftOut("no request gets it: the default response of its route is left out", line: node.line)
                }
                return try self.stub(node, path, .always, priority, [])
            }
            if index == main, case .failure = entry.result { plays = false }
            entries.append(index == main ? self.noting(lost, entry) : entry)
        }
        priority = Self.below(priority)
        return entries
    }

    private func noting(_ lost: StubEntry?, _ entry: StubEntry) -> StubEntry {
        lost.map { entry.noting(StubNote.answersInstead(of: "response", line: $0.line)) } ?? entry
    }

    private func stub(
        _ node: ForeignNode,
        _ path: MockoonPath,
        _ condition: StubCondition,
        _ priority: Int,
        _ notes: [String]
    ) throws(LeftOut) -> ImportedStub {
        var notes = notes
        let behaviour = try self.response(node, path, &notes)
        let label = node["label"]?.text ?? ""
        let all = StubCondition.all([try self.condition(path, isTemplate: behaviour.isTemplate), condition])
        var name = self.name
        if case .request = condition, !label.isEmpty { name += " (\(label.inOneLine))" }
        var set = ResponseSet(
            name: name,
            request: try all.matcher(line: node.line),
            variants: [Variant(name: label.isEmpty ? "response" : label.inOneLine, behaviour: behaviour)]
        )
        set.priority = priority
        return ImportedStub(set: set, notes: notes)
    }

    // MARK: Responses in turn

    private func turns(_ path: MockoonPath, _ counted: MockoonCount, _ priority: Int) -> StubEntry {
        StubEntry.reading(self.node) { (node) throws(LeftOut) in
            var notes: [String] = []
            var behaviours: [Behaviour] = []
            for response in self.responses { behaviours.append(try self.response(response, path, &notes)) }
            let behaviour: Behaviour
            switch self.mode {
            case .random where behaviours.count == 1, .sequence where behaviours.count == 1: behaviour = behaviours[0]
            case .random: behaviour = Behaviour(.random(behaviours.map { Behaviour.Weighted(weight: 1, $0) }))
            case .sequence: behaviour = Behaviour(.sequence(behaviours), after: .cycle)
            default:
                let main = self.responses.firstIndex { $0["default"]?.bool == true } ?? 0
                let order = try counted.order(default: self.mode == .fallback ? nil : main, line: node.line)
                let parts = order.parts.map { part in
                    var behaviour = behaviours[part.response]
                    behaviour.times = part.times
                    return behaviour
                }
                guard !parts.isEmpty else { throw LeftOut("no request gets any of its responses", line: node.line) }
                behaviour = Behaviour(.sequence(parts), after: order.endsThere ? .unmatched : .repeatLast)
            }
            let isTemplate = behaviours.contains(where: \.isTemplate)
            var set = ResponseSet(
                name: self.name,
                request: try self.condition(path, isTemplate: isTemplate).matcher(line: node.line),
                variants: [Variant(name: "responses", behaviour: behaviour)]
            )
            set.priority = priority
            return ImportedStub(set: set, notes: notes)
        }
    }
}
