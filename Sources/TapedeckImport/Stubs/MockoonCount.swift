import TapedeckCore

/// Rules on the number of a request alone, which make the responses of a route follow each other.
struct MockoonCount {
    /// The requests that are looked at: after them the answers do not change.
    private static let limit = 10_000

    /// The maximum number of rules of a route.
    private static let ruleLimit = 50

    private let responses: [ForeignNode]

    init(_ responses: [ForeignNode]) {
        self.responses = responses
    }

    /// True if all rules are of this kind.
    var isCount: Bool {
        let rules = self.responses.flatMap { $0["rules"]?.items ?? [] }
        return (1...Self.ruleLimit).contains(rules.count) && rules.allSatisfy { $0["target"]?.text == "request_number" }
    }

    /// Returns the responses with the number of requests that each answers in a row.
    ///
    /// - Parameter main: the response without a rule that holds; `nil` if there is none.
    func order(
        default main: Int?,
        line: Int
    ) throws(LeftOut) -> (parts: [(response: Int, times: Int)], endsThere: Bool) {
        var tests: [[(String) -> Bool]] = []
        for response in self.responses {
            var list: [(String) -> Bool] = []
            for rule in response["rules"]?.items ?? [] { list.append(try MockoonRules.numberTest(rule)) }
            tests.append(list)
        }
        var parts: [(response: Int?, times: Int)] = []
        for number in 1...Self.limit {
            let text = String(number)
            let found = tests.indices.first { index in
                guard !tests[index].isEmpty else { return false }
                return self.responses[index]["rulesOperator"]?.text == "AND"
                    ? tests[index].allSatisfy { $0(text) } : tests[index].contains { $0(text) }
            }
            let response = found ?? main
            if parts.last.map({ $0.response == response }) ?? false {
                parts[parts.count - 1].times += 1
            } else {
                parts.append((response, 1))
            }
        }
        let last = parts.last?.times ?? 0
        let ends = parts.last?.response == nil
        if ends { parts.removeLast() }
        guard last > Self.limit / 2, parts.count <= 1_000, parts.allSatisfy({ $0.response != nil }) else {
            throw LeftOut("its rules on `request_number` cannot be stated", line: line)
        }
        if !ends, let index = parts.indices.last { parts[index].times = 1 }
        return (parts.compactMap { part in part.response.map { ($0, part.times) } }, ends)
    }
}
