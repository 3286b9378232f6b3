import TapedeckCore

/// The form of a token: literal characters, and runs of characters of a class with a count, as in
/// `glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}`.
///
/// A run takes as many characters as its count allows, so the text after a run of variable length begins with a
/// character outside its class. `^` precedes the look-up key of the token, if that is not its beginning; runs before it
/// have fixed lengths. `!`, behind a literal character, precedes the secret, if what is before it only proves it.
struct ServiceTokenPattern: Sendable {
    enum Part: Sendable {
        case literal([UInt8])
        case run(ByteClass, count: ClosedRange<Int>)

        var count: ClosedRange<Int> {
            switch self {
            case .literal(let bytes): bytes.count...bytes.count
            case .run(_, let count): count
            }
        }
    }

    /// As the table has it.
    let text: String
    let parts: [Part]
    /// The number of parts before the secret.
    let context: Int
    /// The number of characters before the look-up key.
    let lead: Int
    /// The characters that the token is looked up by: four, each out of a set, or two where a set is large.
    let key: [ByteClass]

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        var literal: [UInt8] = []
        var lead: Int?
        var context = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == ASCII.openBracket else {
                if byte == UInt8(ascii: "^") {
                    lead = parts.reduce(literal.count) { $0 + $1.count.lowerBound }
                } else if byte == UInt8(ascii: "!") {
                    parts.append(.literal(literal))
                    literal = []
                    context = parts.count
                } else {
                    literal.append(byte)
                }
                continue
            }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = []
            let end = bytes[index...].firstIndex(of: ASCII.closeBracket) ?? bytes.count
            let characters = ByteClass(bytes[index..<end])
            index = end + 1
            let (count, next) = Self.count(bytes, index)
            index = next
            parts.append(.run(characters, count: count))
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.text = text
        self.parts = parts
        self.context = context
        self.lead = lead ?? 0
        self.key = Self.key(parts, from: lead ?? 0)
    }

    /// Returns the count of a run, `{32}` or `{20,40}`, and the place behind it; 1 without one.
    private static func count(_ bytes: [UInt8], _ start: Int) -> (ClosedRange<Int>, Int) {
        guard start < bytes.count, bytes[start] == ASCII.openBrace else { return (1...1, start) }
        var numbers = [0]
        var index = start + 1
        while index < bytes.count, bytes[index] != ASCII.closeBrace {
            if bytes[index] == ASCII.comma {
                numbers.append(0)
            } else {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            }
            index += 1
        }
        return (numbers[0]...numbers[numbers.count - 1], index + 1)
    }

    private static func key(_ parts: [Part], from lead: Int) -> [ByteClass] {
        let classes = parts.flatMap { part -> [ByteClass] in
            switch part {
            case .literal(let bytes): bytes.prefix(lead + 4).map { ByteClass($0) }
            case .run(let characters, let count): Array(repeating: characters, count: min(count.lowerBound, lead + 4))
            }
        }
        let key = Array(classes.dropFirst(lead).prefix(4))
        let isSmall = key.count == 4 && key.reduce(1) { $0 * $1.count } <= 256
        return isSmall ? key : Array(key.prefix(2))
    }

    /// The least number of characters of a token.
    var leastCount: Int { self.parts.reduce(0) { $0 + $1.count.lowerBound } }

    /// A pattern for each way to choose among alternatives, `(live|test)`, which hold no others.
    static func expanded(_ text: String) -> [String] {
        guard let open = text.firstIndex(of: "("), let close = text.firstIndex(of: ")") else { return [text] }
        let before = String(text[..<open])
        let after = String(text[text.index(after: close)...])
        let inner: Substring = text[text.index(after: open)..<close]
        return inner.split(separator: "|", omittingEmptySubsequences: false).flatMap {
            (choice: Substring) -> [String] in
            Self.expanded(before + String(choice) + after)
        }
    }

    /// Returns the place of the secret of a token that begins at `start`, and of its runs of characters.
    func match(
        in text: UnsafeRawBufferPointer,
        at start: Int,
        upTo limit: Int,
        _ ends: inout RunEnds
    ) -> (secret: Range<Int>, runs: [Range<Int>])? {
        self.match(self.parts[...], in: text, at: start, upTo: limit, &ends)
    }

    private func match(
        _ parts: ArraySlice<Part>,
        in text: UnsafeRawBufferPointer,
        at start: Int,
        upTo limit: Int,
        _ ends: inout RunEnds
    ) -> (secret: Range<Int>, runs: [Range<Int>])? {
        var index = start
        var secret = start
        var runs: [Range<Int>] = []
        for (number, part) in zip(parts.indices, parts) {
            if number == self.context { secret = index }
            switch part {
            case .literal(let bytes):
                guard index + bytes.count <= limit, text[index..<(index + bytes.count)].elementsEqual(bytes) else {
                    return nil
                }
                index += bytes.count
            case .run(let characters, let count):
                var end = index
                if count.upperBound <= Self.shortRun {
                    let last = min(limit, index + count.upperBound)
                    while end < last, characters.contains(text[end]) { end += 1 }
                } else {
                    end = min(ends.end(of: characters, in: text, from: index), index + count.upperBound, limit)
                }
                guard end - index >= count.lowerBound else { return nil }
                runs.append(index..<end)
                index = end
            }
        }
        return (secret..<index, runs)
    }

    /// Returns the shape of a matching text: its literal characters, and a class with a count for each run, or `nil` if
    /// a shape cannot have those characters.
    func shape(of text: UnsafeRawBufferPointer, rounded: (Int) -> Int) -> String? {
        var ends = RunEnds()
        let parts = self.parts[self.context...]
        guard var runs = self.match(parts, in: text, at: 0, upTo: text.count, &ends)?.runs[...] else { return nil }
        var shape = ""
        for part in parts {
            switch part {
            case .literal(let bytes):
                guard bytes.allSatisfy(Self.inShapes.contains) else { return nil }
                shape += String(decoding: bytes, as: UTF8.self)
            case .run(let characters, let count):
                guard let run = runs.popFirst(), !run.isEmpty else { continue }
                let length = count.count == 1 ? run.count : min(rounded(run.count), count.upperBound)
                shape += characters.shape.map { "\($0){\(length)}" } ?? String(decoding: text[run], as: UTF8.self)
            }
        }
        return shape
    }

    private static let inShapes = ByteClass("A-Za-z0-9_.~:/+=-")

    /// Runs up to this many characters are scanned each time; the ends of longer ones are cached.
    private static let shortRun = 64

    /// The ends of the runs of characters that were looked at last, by class, so that none is gone over twice, however
    /// many beginnings of tokens are in it.
    struct RunEnds {
        private var places: [(characters: ByteClass, place: Range<Int>)] = []

        mutating func end(of characters: ByteClass, in text: UnsafeRawBufferPointer, from start: Int) -> Int {
            let known = self.places.firstIndex { $0.characters == characters }
            if let known, self.places[known].place.contains(start) { return self.places[known].place.upperBound }
            var end = start
            while end < text.count, characters.contains(text[end]) { end += 1 }
            if let known {
                self.places[known].place = start..<end
            } else {
                self.places.append((characters, start..<end))
            }
            return end
        }
    }
}
