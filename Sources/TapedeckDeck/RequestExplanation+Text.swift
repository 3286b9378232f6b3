import TapedeckCore

extension RequestExplanation {
    /// Lines for a terminal.
    package var lines: [String] {
        var lines: [String] = []
        if let winner = self.winner {
            let set = "\"\(winner.set)\" of \(winner.cassette)"
            lines.append("\(self.request) is answered by \(self.isLive ? "the live server, through \(set)" : set)")
            lines.append("  variant   \(winner.variant)")
            lines.append("  rule      \(winner.rule)")
            for (name, value) in Self.captures(winner) { lines.append("  capture   \(name) = \(value)") }
            lines.append("")
            lines += Self.table(winner.parts)
        } else if let why = self.refusal?.explanation {
            lines.append("nothing on tape answers \(self.request)")
            lines.append("  " + why)
        } else {
            lines.append("nothing on tape answers \(self.request)")
            for miss in self.explanation.nearest {
                lines += ["", "near is \"\(miss.set)\" of \(miss.cassette)"] + Self.table(miss.parts)
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

    /// Returns the wanted and actual parts, one line each.
    private static func table(_ parts: [MatchPart]) -> [String] {
        let width = parts.map(\.name.count).max() ?? 0
        return parts.map { part in
            let name = part.name + String(repeating: " ", count: width - part.name.count)
            guard !part.isMet else { return "  ok  \(name)  \(part.wanted)" }
            return "  no  \(name)  wanted \(part.wanted), came \(part.came ?? "nothing")"
        }
    }

    /// The explanation for programs: one JSON object, over several lines.
    package var json: String {
        JSONText.object([
            (
                "request",
                .object([
                    ("method", .string(self.request.method)), ("url", .string(SecretMasking.shown(self.request.url))),
                ])
            ),
            ("cassettes", .array(self.cassettes.map(JSONText.string))),
            ("answered", .bool(self.isAnswered)),
            ("live", .bool(self.isLive)),
            ("answer", self.winner.map(Self.json) ?? .null),
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
        .object([
            ("set", .string(candidate.set)),
            ("cassette", .string(candidate.cassette)),
            ("variant", .string(candidate.variant)),
            ("rule", .string(candidate.rule)),
            ("captures", .object(Self.captures(candidate).map { ($0.name, .string($0.value)) })),
            ("parts", .array(candidate.parts.map(Self.json))),
        ])
    }

    private static func json(_ part: MatchPart) -> JSONText {
        .object([
            ("name", .string(part.name)),
            ("met", .bool(part.isMet)),
            ("wanted", .string(part.wanted)),
            ("came", part.came.map(JSONText.string) ?? .null),
        ])
    }
}
