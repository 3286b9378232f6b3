import TapedeckCodings
import TapedeckCore
import TapedeckJSON

/// Writes mappings of WireMock 2 and 3, all in one file.
struct WireMockWriter {
    /// The mappings of exchanges; several answers to one request are the states of a scenario.
    func file(_ exchanges: [ExportedExchange], _ leftOut: inout [ExportRemark]) -> [UInt8] {
        let origins = Set(exchanges.map(\.url.origin))
        let answers = Dictionary(grouping: exchanges, by: \.set)
        var mappings: [JSONValue] = []
        for exchange in exchanges {
            let all = answers[exchange.set] ?? []
            guard let response = self.response(exchange) else {
                leftOut.append(
                    ExportRemark(exchange, "it is left out: \(exchange.take.fault?.rawValue ?? "it") has no form there")
                )
                continue
            }
            var members: [(String, JSONValue)] = [
                ("name", .string(exchange.set)),
                ("request", self.request(exchange, withHost: origins.count > 1, &leftOut)),
                ("response", response),
            ]
            if all.count > 1 { members += self.scenario(exchange, of: all) }
            mappings.append(.members(members))
        }
        return JSONValue.members([("mappings", .array(mappings))]).prettyText + [0x0A]
    }

    /// The states that lead from one answer to the next; the last one repeats.
    private func scenario(_ exchange: ExportedExchange, of all: [ExportedExchange]) -> [(String, JSONValue)] {
        let place = all.firstIndex { $0.number == exchange.number } ?? 0
        var members: [(String, JSONValue)] = [
            ("scenarioName", .string(exchange.set)),
            ("requiredScenarioState", .string(place == 0 ? "Started" : "answer \(place + 1)")),
        ]
        if place + 1 < all.count { members.append(("newScenarioState", .string("answer \(place + 2)"))) }
        return members
    }

    private func request(
        _ exchange: ExportedExchange,
        withHost: Bool,
        _ leftOut: inout [ExportRemark]
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("method", .string(exchange.method)), ("url", .string(exchange.url.target)),
        ]
        if withHost {
            members.append(("host", .members([("equalTo", .string(exchange.url.origin.host))])))
        }
        let patterns = exchange.conditions.compactMap { condition -> JSONValue? in
            switch condition {
            case .json(let body, _): Self.pattern("equalToJson", body.decoded)
            case .bytes(let body): Self.pattern("equalTo", body.decoded)
            case .jsonSubset(let body):
                Self.text(body.decoded).map {
                    .members([("equalToJson", .string($0)), ("ignoreExtraElements", .bool(true))])
                }
            default: nil
            }
        }
        if patterns.count < exchange.conditions.count, exchange.number == 0 {
            leftOut.append(ExportRemark(exchange, "a condition on its body is left out"))
        }
        if !patterns.isEmpty { members.append(("bodyPatterns", .array(patterns))) }
        return .members(members)
    }

    private static func pattern(_ name: String, _ body: [UInt8]) -> JSONValue {
        if let text = self.text(body) { return .members([(name, .string(text))]) }
        return .members([("binaryEqualTo", .string(String(decoding: Base64.encode(body), as: UTF8.self)))])
    }

    private static func text(_ bytes: [UInt8]) -> String? {
        String(validating: PlaceholderEscape.unescaped(bytes), as: UTF8.self)
    }

    private func response(_ exchange: ExportedExchange) -> JSONValue? {
        if let fault = exchange.take.fault {
            return Self.fault(fault).map { .members([("fault", .string($0))]) }
        }
        var members: [(String, JSONValue)] = [("status", .whole(exchange.take.status))]
        if let reason = exchange.take.reason { members.append(("statusMessage", .string(reason))) }
        var headers: [(String, [String])] = []
        // WireMock compresses by itself for clients that take it.
        for field in exchange.decodedHeaders {
            if let index = headers.firstIndex(where: { ASCII.equalsIgnoringCase($0.0, field.name) }) {
                headers[index].1.append(field.value)
            } else {
                headers.append((field.name, [field.value]))
            }
        }
        if !headers.isEmpty {
            let values = headers.map { name, values -> (String, JSONValue) in
                (name, values.count == 1 ? .string(values[0]) : .array(values.map { .string($0) }))
            }
            members.append(("headers", .members(values)))
        }
        if let text = String(validating: exchange.body, as: UTF8.self) {
            if !text.isEmpty { members.append(("body", .string(text))) }
        } else {
            members.append(("base64Body", .string(String(decoding: Base64.encode(exchange.body), as: UTF8.self))))
        }
        return .members(members)
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
}
