/// Spoils values of a JSON body, to see how a program takes it. The same generator gives the same result.
package enum JSONFuzz: String, CaseIterable, Sendable {
    /// Strings become some thousand characters long.
    case longStrings
    /// Strings get characters that take several code points or code units.
    case emoji
    case emptyStrings
    /// Strings, numbers and booleans become null.
    case nulls
    /// About half of the members of each object go, at least one.
    case dropKeys
    /// Strings become numbers; numbers and booleans become strings; null becomes an empty object.
    case wrongTypes
    /// Numbers become larger than a 64-bit integer, or a double, can hold.
    case hugeNumbers
    case negativeNumbers

    /// Returns the value with everything spoilt that `path` selects: the selected value itself or, if it is an object
    /// or a list, everything in it. ``dropKeys`` removes a selected value that is neither.
    package func apply(
        to value: JSONValue,
        at path: JSONPath,
        random: inout some RandomNumberGenerator
    ) -> JSONValue {
        switch value {
        case .null, .bool, .number, .string:
            // It is in no object that it could be dropped from.
            if self == .dropKeys { return value }
        case .array, .object: break
        }
        return path.mapping(value, outermostOnly: true) { selected in
            switch selected {
            case .null, .bool, .number, .string:
                self == .dropKeys ? nil : self.spoilt(selected, &random)
            case .array, .object: self.spoilt(selected, &random)
            }
        }
    }

    private func spoilt(_ value: JSONValue, _ random: inout some RandomNumberGenerator) -> JSONValue {
        switch value {
        case .array(let items):
            return .array(items.map { self.spoilt($0, &random) })
        case .object(let members):
            let left = self == .dropKeys ? Self.dropping(members, &random) : members
            return .object(
                left.map { member in JSONMember(name: member.name, value: self.spoilt(member.value, &random)) }
            )
        case .null:
            return self == .wrongTypes ? .object([]) : value
        case .bool(let flag):
            switch self {
            case .nulls: return .null
            case .wrongTypes: return .string(flag ? "true" : "false")
            default: return value
            }
        case .number(let number): return self.spoilt(number, &random)
        case .string(let text): return self.spoilt(text, &random)
        }
    }

    private static func dropping(
        _ members: [JSONMember],
        _ random: inout some RandomNumberGenerator
    ) -> [JSONMember] {
        guard !members.isEmpty else { return members }
        // This one goes in any case, with others of its name, which would count in its place.
        let dropped = members[Int.random(in: members.indices, using: &random)].name
        return members.filter { member in
            let stays = Bool.random(using: &random)
            return stays && !member.name.isSameText(as: dropped)
        }
    }

    private func spoilt(_ number: JSONNumber, _ random: inout some RandomNumberGenerator) -> JSONValue {
        switch self {
        case .nulls: return .null
        case .wrongTypes: return .string(number.spelling)
        case .hugeNumbers:
            let spelling = Self.hugeSpellings.randomElement(using: &random) ?? "1e400"
            return .number(JSONNumber(checked: spelling))
        case .negativeNumbers:
            guard number >= JSONNumber(0) else { return .number(number) }
            return .number(number == JSONNumber(0) ? JSONNumber(-1) : JSONNumber(checked: "-" + number.spelling))
        case .longStrings, .emoji, .emptyStrings, .dropKeys: return .number(number)
        }
    }

    private func spoilt(_ text: String, _ random: inout some RandomNumberGenerator) -> JSONValue {
        switch self {
        case .nulls: return .null
        case .wrongTypes: return .number(JSONNumber(Int.random(in: 0..<1_000_000, using: &random)))
        case .emptyStrings: return .string("")
        case .longStrings:
            let length = Int.random(in: 4_000...12_000, using: &random)
            let filler = text.isEmpty ? "long " : text
            let repeated = String(repeating: filler, count: length / filler.unicodeScalars.count + 1)
            return .string(repeated)
        case .emoji:
            let added = (0..<3).map { _ in Self.emojiTexts.randomElement(using: &random) ?? "😀" }
            return .string(added[0] + text + added[1] + added[2])
        case .dropKeys, .hugeNumbers, .negativeNumbers: return .string(text)
        }
    }

    /// Just beyond what signed, unsigned and floating-point numbers of 64 bits hold, and beyond what any does.
    private static let hugeSpellings = [
        "9223372036854775808", "18446744073709551616", "123456789012345678901234567890", "1e308", "1e400",
    ]

    /// A smiley, a family of four joined by U+200D, a flag, a skin tone, a keycap, and letters with marks on them.
    private static let emojiTexts = ["😀", "👨‍👩‍👧‍👦", "🇺🇳", "👍🏽", "1️⃣", "Z͑ͫ̓ͪ̂ͫ"]
}
