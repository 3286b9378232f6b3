import TapedeckCore
import TapedeckSessions

extension RequestExplanation {
    /// Lines for a terminal.
    package var lines: [String] {
        var lines: [String] = []
        if let winner = self.winner {
            lines += self.answer(winner.set, winner.cassette, winner.variant, winner.rule)
            for (name, value) in Self.captures(winner) { lines.append("  capture   \(name) = \(value)") }
            lines.append("")
            lines += Self.table(winner.parts)
        } else if let answer = self.unmatchedAnswer {
            lines += self.answer(answer.set, answer.cassette, answer.variant, answer.rule)
            let isAnswer = { (miss: UnmatchedReport.NearMiss) in
                miss.set == answer.set && miss.cassette == answer.cassette
            }
            if let miss = self.explanation.nearest.first(where: isAnswer) {
                lines += [""] + Self.table(miss.parts)
            }
        } else if let why = self.refusal?.explanation {
            lines.append("nothing on tape answers \(self.request)")
            lines.append("  " + why)
        } else {
            lines.append("nothing on tape answers \(self.request)")
            // Sets of other paths tell nothing beside one of the same.
            let nearest = self.explanation.nearest
            for miss in nearest.contains(where: \.hasRoute) ? nearest.filter(\.hasRoute) : nearest {
                lines += ["", "near is \"\(miss.set)\" of \(miss.cassette)"] + Self.table(miss.parts)
                lines += miss.ignoring.map { ["  \($0)"] } ?? []
            }
            if self.explanation.nearest.isEmpty, self.explanation.candidates.isEmpty {
                lines.append("and nothing is for \(self.request.url.origin)")
            }
        }
        // The first one is already in the refusal.
        let others = self.others.dropFirst(self.refusal?.explanation == nil ? 0 : 1)
        for (index, other) in others.enumerated() {
            if index == 0 { lines += ["", "also for this request, in this order:"] }
            let candidate = other.candidate
            let why = other.declined ? "has no answer for it" : candidate.rule
            lines.append("  \"\(candidate.set)\" of \(candidate.cassette), variant \(candidate.variant): \(why)")
        }
        for set in self.explanation.cutOff {
            lines += [
                "", "the pattern of \"\(set)\" took too long and was cut off: it counts as one that does not match",
            ]
        }
        return lines
    }

    private func answer(_ set: String, _ cassette: String, _ variant: String, _ rule: String) -> [String] {
        let name = "\"\(set)\" of \(cassette)"
        return [
            "\(self.request) is answered by \(self.isLive ? "the live server, through \(name)" : name)",
            "  variant   \(variant)", "  rule      \(rule)",
        ]
    }

    /// Returns the wanted and actual parts, one line each.
    private static func table(_ parts: [MatchPart]) -> [String] {
        let width = parts.map(\.name.count).max() ?? 0
        return parts.map { part in
            let name = part.name + String(repeating: " ", count: width - part.name.count)
            guard !part.isMet else { return "  ok  \(name)  \(part.wanted ?? "")" }
            let (sign, end) = part.varies ? ("~ ", " (varies)") : ("no", "")
            return "  \(sign)  \(name)  \(part.differenceOfValue)\(end)"
        }
    }

    /// The explanation for programs: one JSON object, over several lines.
    package var json: String {
        let answer: JSONText = self.winner.map(Self.json) ?? self.unmatchedAnswer.map(Self.json) ?? .null
        return JSONText.object([
            (
                "request",
                .object([
                    ("method", .string(self.request.method)), ("url", .string(SecretMasking.shown(self.request.url))),
                ])
            ),
            ("cassettes", .array(self.cassettes.map(JSONText.string))),
            ("answered", .bool(self.isAnswered)),
            ("live", .bool(self.isLive)),
            ("answer", answer),
            ("refusal", self.refusal?.explanation.map(JSONText.string) ?? .null),
            ("others", .array(self.others.map { Self.json($0.candidate) })),
            (
                "nearest",
                .array(
                    self.explanation.nearest.map { miss in
                        .object([
                            ("set", .string(miss.set)),
                            ("cassette", .string(miss.cassette)),
                            ("parts", .array(miss.parts.map(Self.json))),
                        ])
                    }
                )
            ),
            ("cutOff", .array(self.explanation.cutOff.map(JSONText.string))),
        ]).pretty
    }

    private static func json(_ candidate: Explanation.Candidate) -> JSONText {
        let more: [(String, JSONText)] = [
            ("captures", .object(Self.captures(candidate).map { ($0.name, .string($0.value)) })),
            ("parts", .array(candidate.parts.map(Self.json))),
        ]
        return self.json(candidate.set, candidate.cassette, candidate.variant, candidate.rule, more)
    }

    private static func json(_ answer: PlayedAnswer.Names) -> JSONText {
        self.json(answer.set, answer.cassette, answer.variant, answer.rule, [])
    }

    private static func json(
        _ set: String,
        _ cassette: String,
        _ variant: String,
        _ rule: String,
        _ more: [(String, JSONText)]
    ) -> JSONText {
        let names = [("set", set), ("cassette", cassette), ("variant", variant), ("rule", rule)]
        return .object(names.map { ($0.0, .string($0.1)) } + more)
    }

    private static func json(_ part: MatchPart) -> JSONText {
        .object([
            ("name", .string(part.name)),
            ("met", .bool(part.isMet)),
            ("varies", .bool(part.varies)),
            ("wanted", part.wanted.map(JSONText.string) ?? .null),
            ("came", part.came.map(JSONText.string) ?? .null),
        ])
    }
}
