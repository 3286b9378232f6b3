/// The maximum age of the recorded takes of a cassette, and the reaction to an older one.
package struct MaxAge: Sendable, Equatable {
    package enum Consequence: String, Sendable, CaseIterable {
        /// Print a warning.
        case warn
        /// The cassette is not played.
        case fail
    }

    /// Counted from when a take was recorded. More than 0.
    package var span: TimeSpan
    package var consequence: Consequence

    package init(_ span: TimeSpan, then consequence: Consequence = .warn) {
        self.span = span
        self.consequence = consequence
    }
}

extension Take {
    /// The time of recording; `nil` for a take written by hand, and if ``recorded`` does not begin with a time.
    package var recordedTime: Instant? {
        self.recorded.flatMap { Instant(rfc3339: Self.time(inRecorded: $0)) }
    }

    /// The time that a text in `recorded` begins with.
    package static func time(inRecorded text: String) -> String {
        String(decoding: text.utf8.prefix { $0 != ASCII.comma }, as: UTF8.self)
    }

    /// The distance of the recording machine's local time to UTC, in minutes; 0 if it is not noted.
    package var recordedZone: Int {
        guard let text = self.recorded?.prefix(while: { $0 != "," }), text.utf8.count >= 6, text.last != "Z",
            let hours = Int(text.dropLast(3).suffix(3)), let minutes = Int(text.suffix(2))
        else { return 0 }
        return hours * 60 + (text.dropLast(3).suffix(3).first == "-" ? -minutes : minutes)
    }
}

extension Cassette {
    /// Its oldest recorded take, if that is older than its ``maxAge`` allows.
    package struct Overage: Sendable, Equatable {
        package var set: String
        package var recorded: Instant
        package var age: TimeSpan
        package var maxAge: MaxAge

        /// A sentence without its full stop, such as `"GET api.example.com/users" was recorded 45 days ago
        /// (2026-10-07T10:00:00Z), and maxAge is 30d`.
        package var description: String {
            "\"\(self.set)\" was recorded \(Self.words(self.age)) ago (\(self.recorded.rfc3339)), and maxAge is "
                + self.maxAge.span.description
        }

        private static func words(_ span: TimeSpan) -> String {
            let units: [(name: String, milliseconds: Int64)] = [
                ("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000),
            ]
            for unit in units where span.milliseconds >= unit.milliseconds {
                let count = span.milliseconds / unit.milliseconds
                return count == 1 ? "1 \(unit.name)" : "\(count) \(unit.name)s"
            }
            return "less than a second"
        }
    }

    /// Returns the oldest take beyond ``maxAge``, or `nil`.
    ///
    /// Only takes that a recording would replace count: neither copies in other variants, nor faults, which are hard to
    /// record again.
    package func overage(at now: Instant) -> Overage? {
        guard let maxAge = self.maxAge else { return nil }
        var oldest: (set: String, time: Instant)?
        for set in self.responseSets {
            let recorded = set.variants.lazy.map(\.takes).first { takes in takes.contains { $0.recorded != nil } }
            for take in recorded ?? [] where take.fault == nil {
                guard let time = take.recordedTime, oldest.map({ time < $0.time }) ?? true else { continue }
                oldest = (set.name, time)
            }
        }
        guard let oldest else { return nil }
        let age = TimeSpan(milliseconds: now.milliseconds - oldest.time.milliseconds)
        guard maxAge.span < age else { return nil }
        return Overage(set: oldest.set, recorded: oldest.time, age: age, maxAge: maxAge)
    }
}
