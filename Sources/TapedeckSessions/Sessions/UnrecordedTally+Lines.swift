extension UnrecordedTally {
    /// The number of hosts that are listed.
    private static let namedPlaces = 5

    /// All of it as lines: hosts passed through and blocked, and exchanges that were left out, with the reasons. Empty
    /// if everything was recorded.
    package var lines: [String] { self.passedLines + self.blockedLines + self.refusedLines + self.leftOutLines }

    private var passedLines: [String] {
        let named = self.passed.prefix(Self.namedPlaces).map { item in
            var parts: [String] = []
            if item.requests > 0 { parts.append(Self.count(item.requests, "request")) }
            if item.tunnels > 0 { parts.append(Self.count(item.tunnels, "tunnel")) }
            return "\(parts.joined(separator: " and ")) passed through to \(item.place) (\(item.reason))"
        }
        return named + self.more(self.passed.count, "passed through")
    }

    private var blockedLines: [String] {
        let named = self.blocked.prefix(Self.namedPlaces).map { item in
            "\(Self.count(item.count, "request")) to \(item.place) blocked (block \(item.pattern))"
        }
        return named + self.more(self.blocked.count, "blocked")
    }

    private var refusedLines: [String] {
        let named = self.refused.prefix(Self.namedPlaces).map { item in
            "\(Self.count(item.count, "request")) to \(item.place) refused: \(item.reason)"
                + (item.option.map { " (\($0) would allow it)" } ?? "")
        }
        return named + self.more(self.refused.count, "refused")
    }

    private func more(_ count: Int, _ what: String) -> [String] {
        count > Self.namedPlaces ? ["and \(Self.count(count - Self.namedPlaces, "more host")) \(what)"] : []
    }

    private var leftOutLines: [String] {
        self.leftOut.flatMap { item in
            let left = item.count - item.examples.count
            return ["\(Self.count(item.count, "exchange")) not recorded: \(item.reason)"]
                + item.examples.map { "  \($0)" } + (left > 0 ? ["  and \(left) more"] : [])
        }
    }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }
}
