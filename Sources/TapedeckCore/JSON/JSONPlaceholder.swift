/// A placeholder in expected JSON for any value of a kind, such as `{{any.uuid}}`.
enum JSONPlaceholder: String, Sendable, CaseIterable {
    /// Any value at all; within a longer string any text.
    case any
    case uuid = "any.uuid"
    case timestamp = "any.timestamp"
    case number = "any.number"
    case string = "any.string"
    case boolean = "any.boolean"

    /// Returns true if a whole value is of the kind.
    func matches(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.any, _), (.number, .number), (.string, .string), (.boolean, .bool): true
        case (.timestamp, .number(let number)): Self.isTimestamp(number)
        case (.uuid, .string(var text)), (.timestamp, .string(var text)):
            text.withUTF8 { utf8 in self.ends(in: UnsafeRawBufferPointer(utf8), from: 0).contains(utf8.count) }
        default: false
        }
    }

    /// Returns the possible ends of a value of this kind that begins at `start`, as ascending offsets.
    func ends(in text: UnsafeRawBufferPointer, from start: Int) -> [Int] {
        switch self {
        case .any, .string: Array(start...text.count)
        case .uuid: Self.endOfUUID(in: text, from: start).map { [$0] } ?? []
        case .timestamp: TimestampText.ends(in: text, from: start)
        case .number: Self.endsOfNumber(in: text, from: start)
        case .boolean:
            ["true", "false"].compactMap { word in
                text[start...].starts(with: word.utf8) ? start + word.utf8.count : nil
            }
        }
    }

    /// Seconds or milliseconds since 1970, for times from 1973 (as seconds) to 5138.
    private static func isTimestamp(_ number: JSONNumber) -> Bool {
        number >= JSONNumber(TimestampText.epochNumbers.lowerBound)
            && number < JSONNumber(TimestampText.epochNumbers.upperBound)
    }

    /// RFC 9562 section 4, of any version.
    private static func endOfUUID(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start + 36 <= text.count else { return nil }
        for place in 0..<36 {
            let byte = text[start + place]
            switch place {
            case 8, 13, 18, 23: guard byte == 0x2D else { return nil }
            default: guard ASCII.hexValue(byte) != nil else { return nil }
            }
        }
        return start + 36
    }

    /// The end of every prefix that is a JSON number (RFC 8259 section 6).
    private static func endsOfNumber(in text: UnsafeRawBufferPointer, from start: Int) -> [Int] {
        var ends: [Int] = []
        var index = start
        func take(_ byte: UInt8) -> Bool {
            guard index < text.count, text[index] == byte else { return false }
            index += 1
            return true
        }
        func takeDigits() -> Bool {
            let known = ends.count
            while index < text.count, text[index] &- 0x30 < 10 {
                index += 1
                ends.append(index)
            }
            return ends.count > known
        }
        _ = take(0x2D)
        if take(0x30) {
            ends.append(index)
        } else if !takeDigits() {
            return []
        }
        if take(0x2E), !takeDigits() { return ends }
        if take(0x65) || take(0x45) {
            if !take(0x2B) { _ = take(0x2D) }
            _ = takeDigits()
        }
        return ends
    }
}
