import TapedeckCore
import TapedeckJSON

/// Writes mappings of WireMock 2 and 3, all in one file.
struct WireMockWriter {
    /// Reads a body without its content coding.
    let content: (StoredBody) throws -> [UInt8]
    /// The text that is written for a text of the cassette.
    let text: (String) -> String
    /// The initial state of a session.
    private let state: [StateEntry]
    /// True if the cassette is for several origins, so that mappings ask for the host of whole URLs.
    let hasHosts: Bool
    /// In the order in which a request asks them.
    private let sets: [ResponseSet]
    private(set) var leftOut: [ExportRemark] = []
    /// The number of answers that are written.
    private(set) var count = 0

    init(_ cassette: Cassette, text: @escaping (String) -> String, content: @escaping (StoredBody) throws -> [UInt8]) {
        self.content = content
        self.text = text
        self.state = cassette.state
        let origins = cassette.responseSets.compactMap { set in
            if case .exact(let url) = set.request.url { url.origin } else { nil }
        }
        self.hasHosts = Set(origins).count > 1
        self.sets = Tape([cassette]).setsInOrder
    }

    /// The file of all mappings.
    ///
    /// WireMock asks the last mapping first, so those that Tapedeck asks first are behind the others.
    mutating func file() -> [UInt8] {
        var mappings: [JSONValue] = []
        for set in self.sets.reversed() { mappings += self.mappings(set).reversed() }
        return JSONValue.members([("mappings", .array(mappings))]).prettyText + [0x0A]
    }

    mutating func leaveOut(_ set: ResponseSet, _ reason: String) {
        self.leftOut.append(ExportRemark(set: set.name, reason: reason))
    }

    /// The mappings of a set; several answers are the states of a scenario.
    private mutating func mappings(_ set: ResponseSet) -> [JSONValue] {
        guard let variant = set.variants.indices.contains(set.defaultVariant) ? set.variants[set.defaultVariant] : nil
        else {
            self.leaveOut(set, "it has no variant")
            return []
        }
        for other in set.variants where other.name != variant.name {
            self.leaveOut(set, "the variant '\(other.name)' is left out: only '\(variant.name)' plays by default")
        }
        let behaviour = variant.behaviour
        guard case .takes(let written) = behaviour.answer else {
            self.leaveOut(set, "it is left out: what it plays (\(behaviour.summary)) has no form there")
            return []
        }
        guard let request = self.request(set) else { return [] }
        for loss in self.losses(of: set.request) { self.leaveOut(set, loss) }
        if behaviour.isTemplate { self.leaveOut(set, "its template is written unchanged") }
        if !behaviour.changes.isEmpty { self.leaveOut(set, "its changes of the body are left out") }
        let pacing = self.pacing(behaviour.pacing, set)
        var mappings: [JSONValue] = []
        let takes = written.forEachRequest
        for (number, take) in takes.enumerated() {
            guard let response = self.response(take, number, set) else { continue }
            var members: [(String, JSONValue)] = [("name", .string(set.name))]
            if set.priority != 0 { members.append(("priority", .whole(5 - set.priority))) }
            members += [("request", request), ("response", .members(response + pacing))]
            members += self.scenario(number, of: takes.count, set, behaviour)
            mappings.append(.members(members))
        }
        self.count += mappings.count
        return mappings
    }

    /// Conditions that mean something else in WireMock, in half a sentence each.
    private func losses(of request: RequestMatcher) -> [String] {
        var losses: [String] = []
        let names = request.secretNames.sorted().map { "{{secret.\($0)}}" }
        if !names.isEmpty {
            losses.append(
                "its conditions have placeholders or made-up values in place of \(names.joined(separator: ", "))"
            )
        }
        if request.ignoresQueryNameCase { losses.append("names of its query match in their case alone") }
        let lists = (request.query + request.headers + request.cookies).contains { field in
            if case .values(let texts) = field.value { texts.count > 1 } else { false }
        }
        if lists { losses.append("values that it lists match in any order") }
        let paths = request.body.contains { body in
            if case .jsonPath(let path, .value(.present)) = body {
                StubJSONPath.isDefinite(path.description)
            } else {
                false
            }
        }
        if paths { losses.append("null and what is empty is nothing at its JSONPath") }
        return losses
    }

    // MARK: Scenarios

    /// The states that lead from one answer to the next, or those that the set itself asks for.
    private mutating func scenario(
        _ number: Int,
        of count: Int,
        _ set: ResponseSet,
        _ behaviour: Behaviour
    ) -> [(String, JSONValue)] {
        let sets = set.sets + behaviour.sets
        let keys = Set((set.requires + sets).map(\.key))
        guard keys.isEmpty || count == 1 && keys.count == 1 && set.requires.count < 2 && sets.count < 2 else {
            if number == 0 { self.leaveOut(set, "its state is left out: a scenario of WireMock has one state") }
            return count > 1 ? self.scenario(number, of: count, set, after: behaviour.after) : []
        }
        guard let key = keys.first else {
            return count > 1 || behaviour.after == .unmatched
                ? self.scenario(number, of: count, set, after: behaviour.after) : []
        }
        var members: [(String, JSONValue)] = [("scenarioName", .string(self.text(key)))]
        if let required = set.requires.first {
            members.append(("requiredScenarioState", .string(self.state(required))))
        }
        if let next = sets.first { members.append(("newScenarioState", .string(self.state(next)))) }
        return members
    }

    private mutating func scenario(
        _ number: Int,
        of count: Int,
        _ set: ResponseSet,
        after: Behaviour.AfterLast
    ) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("scenarioName", .string(set.name)),
            ("requiredScenarioState", .string(number == 0 ? "Started" : "answer \(number + 1)")),
        ]
        if number + 1 < count {
            members.append(("newScenarioState", .string("answer \(number + 2)")))
        } else {
            switch after {
            case .repeatLast: break
            case .cycle: members.append(("newScenarioState", .string("Started")))
            case .unmatched: members.append(("newScenarioState", .string("over")))
            case .variant(let name): self.leaveOut(set, "that '\(name)' plays after the last answer is left out")
            }
        }
        return members
    }

    /// The name of a state; that of the beginning is always `Started` there.
    private func state(_ entry: StateEntry) -> String {
        let initial = self.state.first { $0.key == entry.key }?.value
        return entry.value == initial ? "Started" : self.text(entry.value ?? "none")
    }

    // MARK: Responses

    private mutating func response(_ take: Take, _ number: Int, _ set: ResponseSet) -> [(String, JSONValue)]? {
        let body: [UInt8]
        do {
            body = PlaceholderEscape.unescaped(try self.content(take.body))
        } catch {
            self.leaveOut(set, "the take \(number + 1) is left out: \(error)")
            return nil
        }
        var members: [(String, JSONValue)] = []
        if let fault = take.fault {
            guard let name = Self.fault(fault) else {
                self.leaveOut(set, "the take \(number + 1) is left out: \(fault.rawValue) has no form there")
                return nil
            }
            members.append(("fault", .string(name)))
            guard !take.isFaultAlone else { return members }
        }
        members.append(("status", .whole(take.status)))
        if let reason = take.reason { members.append(("statusMessage", .string(reason))) }
        if !take.interim.isEmpty { self.leaveOut(set, "interim responses are left out") }
        if !take.trailers.isEmpty { self.leaveOut(set, "trailers are left out") }
        var headers: [(String, [String])] = []
        // WireMock compresses by itself for clients that take it.
        let own = ["content-length", "transfer-encoding"] + (take.body.coding == nil ? [] : ["content-encoding"])
        for field in Take.inText(take.playedHeaders, noting: { self.leaveOut(set, $0) })
        where !own.contains(where: { field.isNamed($0) }) {
            let value = self.text(field.value)
            if let index = headers.firstIndex(where: { ASCII.equalsIgnoringCase($0.0, field.name) }) {
                headers[index].1.append(value)
            } else {
                headers.append((field.name, [value]))
            }
        }
        if !headers.isEmpty {
            let values = headers.map { name, values -> (String, JSONValue) in
                (name, values.count == 1 ? .string(values[0]) : .array(values.map { .string($0) }))
            }
            members.append(("headers", .members(values)))
        }
        if let text = String(validating: body, as: UTF8.self) {
            if !text.isEmpty { members.append(("body", .string(text))) }
        } else {
            members.append(("base64Body", .string(String(decoding: Base64.encode(body), as: UTF8.self))))
        }
        return members
    }

    private static func fault(_ fault: Fault) -> String? {
        switch fault {
        case .connectionReset: "CONNECTION_RESET_BY_PEER"
        case .emptyResponse: "EMPTY_RESPONSE"
        case .malformedChunk: "MALFORMED_RESPONSE_CHUNK"
        case .garbage, .malformedResponse: "RANDOM_DATA_THEN_CLOSE"
        default: nil
        }
    }

    private mutating func pacing(_ pacing: Pacing, _ set: ResponseSet) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = []
        func distribution(_ type: String, _ more: [(String, JSONValue)]) -> (String, JSONValue) {
            ("delayDistribution", .members([("type", .string(type))] + more))
        }
        switch pacing.delay {
        case nil: break
        case .fixed(let milliseconds): members.append(("fixedDelayMilliseconds", .whole(milliseconds)))
        case .uniform(let from, let to):
            members.append(distribution("uniform", [("lower", .whole(from)), ("upper", .whole(to))]))
        case .logNormal(let median, let sigma):
            let deviation = JSONNumber("\(sigma)").map { JSONValue.number($0) } ?? .whole(0)
            members.append(distribution("lognormal", [("median", .whole(median)), ("sigma", deviation)]))
        case .normal, .recorded: self.leaveOut(set, "its delay is left out: it has no form there")
        }
        if let dribble = pacing.dribble {
            let values: [(String, JSONValue)] = [
                ("numberOfChunks", .whole(dribble.pieces)), ("totalDuration", .whole(dribble.milliseconds)),
            ]
            members.append(("chunkedDribbleDelay", .members(values)))
        }
        if pacing.bandwidth != nil { self.leaveOut(set, "its bandwidth is left out") }
        return members
    }
}
