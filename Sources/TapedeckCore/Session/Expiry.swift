/// A part of a recorded answer that was valid for a time that has passed by now, so that a client may refuse it.
package struct Expiry: Sendable, Equatable {
    /// Of a member of JSON, `$.expires_at`.
    package var place: String
    package var end: Instant
    /// The rule of the cassette that would move the time, as one writes it.
    package var remedy: String

    /// For people.
    package var text: String {
        "\(self.place) has expired since it was recorded (\(self.end.text(.rfc3339))); `\(self.remedy)` moves it"
    }
}

extension Take {
    /// Names of members of JSON with the end of something's validity, in small letters alone.
    private static let expiryNames: Set<String> = [
        "expiration", "expirationdate", "expirationtime", "expires", "expiresat", "expireson", "expiry", "expirydate",
        "expirytime", "validuntil",
    ]
    /// Larger bodies are not looked at. 64 KiB.
    private static let expiryBodyLimit = 64 << 10

    /// Returns the first time in JSON that ended something's validity after the recording, and has passed. Those that the
    /// rules move count as valid.
    package func expiry(at now: Instant, _ rules: TimeRules) -> Expiry? {
        guard let recorded = self.recordedTime, recorded < now else { return nil }
        let passed = { (end: Instant) in recorded < end && end <= now }
        guard case .inline(let body) = self.body, body.content.count <= Self.expiryBodyLimit,
            case .object(let members)? = try? JSONValue(parsing: body.decoded)
        else { return nil }
        for (path, member) in Self.withInner(members) {
            guard Self.expiryNames.contains(ASCII.lowercased(member.name).filter(\.isLetter)),
                let end = Self.time(member.value), passed(end),
                !rules.jsonDates.contains(where: { $0.description == path })
            else { continue }
            return Expiry(place: path, end: end, remedy: "time: { shift: true, json: [\(path)] }")
        }
        return nil
    }

    /// The members of an object and of the objects in it, with their paths.
    private static func withInner(_ members: [JSONMember]) -> [(path: String, member: JSONMember)] {
        members.flatMap { member in
            let path = JSONDifference.path("$", member: member.name)
            guard case .object(let inner) = member.value else { return [(path, member)] }
            return inner.map { (JSONDifference.path(path, member: $0.name), $0) }
        }
    }

    private static func time(_ value: JSONValue) -> Instant? {
        switch value {
        case .string(let text): return DatedText(text)?.instant
        case .number(let number):
            guard let value = Int64(number.spelling) else { return nil }
            switch number.spelling.utf8.count {
            case 10: return Instant(milliseconds: value * 1_000)
            case 13: return Instant(milliseconds: value)
            default: return nil
            }
        default: return nil
        }
    }
}

extension Cassette {
    /// The recorded answers with something that has expired since, with their sets.
    package func expired(at now: Instant) -> [(set: String, expiry: Expiry)] {
        self.responseSets.flatMap { set in
            set.variants.flatMap(\.behaviour.allTakes).compactMap { take in
                take.expiry(at: now, self.time).map { (set.name, $0) }
            }
        }
    }
}
