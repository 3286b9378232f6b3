import TapedeckCore

/// The texts that a stream sends piece by piece: strings in the same place of successive events, as models send the words
/// of an answer.
struct StreamTexts {
    /// For each text the places of its pieces, strings without their quotation marks.
    let texts: [[Range<Int>]]

    /// Reads events of JSON (WHATWG HTML section 9.2, `data:`), or JSON texts of a line each.
    ///
    /// - Returns: `nil` for any other body, and where no text has several pieces.
    init?(_ text: UnsafeRawBufferPointer, contentType: String?) {
        guard Self.mayBe(text, contentType) else { return nil }
        var reader = Reader(text: text)
        if Self.isList(text) { reader.list() }
        // Its lines are no events.
        var start = Self.isList(text) ? text.count : 0
        while start < text.count {
            let end = text[start...].firstIndex(of: 0x0A) ?? text.count
            reader.line(start..<end)
            start = end + 1
        }
        self.texts = reader.texts.filter { pieces in
            // What is the same in each event is no text.
            pieces.count > 1 && pieces.contains { !text[$0].elementsEqual(text[pieces[0]]) }
        }
        if self.texts.isEmpty { return nil }
    }

    /// Of JSON without events only what models send: records of anything else have a text each.
    private static func mayBe(_ text: UnsafeRawBufferPointer, _ contentType: String?) -> Bool {
        if contentType.map(ASCII.lowercased)?.hasPrefix("text/event-stream") ?? false { return true }
        if ["data:", "event:", "id:"].contains(where: { text.starts(with: $0.utf8) }) { return true }
        return self.isList(text) || text.first == ASCII.openBrace && self.hasWord(of: ["\"done\"", "\"delta\""], text)
    }

    /// True for a list of answers, as Gemini streams them without events.
    private static func isList(_ text: UnsafeRawBufferPointer) -> Bool {
        text.first == ASCII.openBracket && self.hasWord(of: ["\"candidates\""], text)
    }

    private static func hasWord(of words: [String], _ text: UnsafeRawBufferPointer) -> Bool {
        let start = text.slice(0..<min(text.count, 512))
        return words.contains { start.range(of: Array($0.utf8), from: 0) != nil }
    }

    /// Values that a model's service has signed or encrypted, and takes back as they were.
    private static let sealed: Set<String> = [
        "signature", "thought_signature", "thoughtSignature", "encrypted_content", "redacted_thinking",
    ]
    /// Members whose values tell the texts of a stream apart.
    private static let numbers: Set<String> = ["index", "output_index", "content_index", "item_id"]

    private struct Reader {
        let text: UnsafeRawBufferPointer
        var texts: [[Range<Int>]] = []
        private var places: [Int: Int] = [:]
        private var index = 0
        private var end = 0
        /// The strings of the event, by their places, and what tells its texts apart.
        private var found: [(place: Int, range: Range<Int>)] = []
        private var mark = 0

        init(text: UnsafeRawBufferPointer) {
            self.text = text
        }

        mutating func line(_ range: Range<Int>) {
            (self.index, self.end) = (range.lowerBound, range.upperBound)
            if self.text[range].starts(with: "data:".utf8) { self.index += 5 }
            self.skipSpace()
            guard self.index < self.end, self.text[self.index] == ASCII.openBrace else { return }
            self.event()
        }

        /// Reads a list of events.
        mutating func list() {
            (self.index, self.end) = (1, self.text.count)
            while self.index < self.end {
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] == ASCII.openBrace else { return }
                self.event()
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] == ASCII.comma else { return }
                self.index += 1
            }
        }

        private mutating func event() {
            (self.found, self.mark) = ([], 0)
            self.value(at: 0, depth: 0)
            for (place, range) in self.found {
                let key = place &* 31 &+ self.mark
                if let known = self.places[key] {
                    self.texts[known].append(range)
                } else {
                    self.places[key] = self.texts.count
                    self.texts.append([range])
                }
            }
        }

        private mutating func skipSpace() {
            while self.index < self.end, self.text[self.index] <= ASCII.space { self.index += 1 }
        }

        /// Deeper values are not looked into.
        private static let depthLimit = 32

        private mutating func value(at place: Int, depth: Int) {
            self.skipSpace()
            guard self.index < self.end, depth < Self.depthLimit else {
                self.index = self.end
                return
            }
            switch self.text[self.index] {
            case ASCII.quote: self.found.append((place, self.string()))
            case ASCII.openBrace: self.members(at: place, depth: depth)
            case ASCII.openBracket: self.items(at: place, depth: depth)
            default: while self.index < self.end, !",]}".utf8.contains(self.text[self.index]) { self.index += 1 }
            }
        }

        private mutating func members(at place: Int, depth: Int) {
            self.index += 1
            while self.index < self.end {
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] == ASCII.quote else { break }
                let name = self.text[self.string()]
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] == ASCII.colon else { break }
                self.index += 1
                let word = name.count <= 20 ? String(decoding: name, as: UTF8.self) : ""
                let count = self.found.count
                let start = self.index
                self.value(at: Self.hash(name, place), depth: depth + 1)
                if StreamTexts.sealed.contains(word) { self.found.removeSubrange(count...) }
                if StreamTexts.numbers.contains(word) {
                    self.mark = Self.hash(self.text[start..<self.index], self.mark)
                }
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] == ASCII.comma else { break }
                self.index += 1
            }
            self.index = min(self.index + 1, self.end)
        }

        private mutating func items(at place: Int, depth: Int) {
            self.index += 1
            var number = 0
            while self.index < self.end {
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] != ASCII.closeBracket else { break }
                self.value(at: place &* 31 &+ number &+ 1, depth: depth + 1)
                number += 1
                self.skipSpace()
                guard self.index < self.end, self.text[self.index] == ASCII.comma else { break }
                self.index += 1
            }
            self.index = min(self.index + 1, self.end)
        }

        /// Moves past a string.
        private mutating func string() -> Range<Int> {
            let start = self.index + 1
            self.index = start
            while self.index < self.end, self.text[self.index] != ASCII.quote {
                self.index += self.text[self.index] == ASCII.backslash ? 2 : 1
            }
            let stop = min(self.index, self.end)
            self.index = min(stop + 1, self.end)
            return min(start, stop)..<stop
        }

        private static func hash(_ name: Slice<UnsafeRawBufferPointer>, _ place: Int) -> Int {
            var hasher = Hasher()
            hasher.combine(place)
            for byte in name { hasher.combine(byte) }
            return hasher.finalize()
        }
    }
}

extension SecretFinder {
    /// Returns the secrets of the texts that a stream sends piece by piece. The first piece of a secret becomes its
    /// placeholder and the others go, so that number, order and framing of the events stay.
    func edits(inStream text: UnsafeRawBufferPointer, contentType: String?) -> [SecretEdit] {
        guard let stream = StreamTexts(text, contentType: contentType) else { return [] }
        return stream.texts.flatMap { pieces -> [SecretEdit] in
            var joined: [UInt8] = []
            // For each byte where it begins in the body, and the number of its piece.
            var sources: [(start: Int, end: Int, piece: Int)] = []
            for (number, piece) in pieces.enumerated() {
                let decoded = DecodedText(json: text, piece)
                joined += decoded.bytes
                for place in decoded.bytes.indices {
                    sources.append((decoded.sources[place], decoded.sources[place + 1], number))
                }
            }
            let found = joined.withUnsafeBytes { bytes -> [SecretEdit] in
                var context = TextContext()
                if !self.onlyKnown { context.kind = TextKind(of: bytes, type: nil) }
                return self.edits(in: bytes, context)
            }
            return found.flatMap { edit -> [SecretEdit] in
                let bytes = sources[edit.range]
                guard let first = bytes.first else { return [] }
                // One that is in one piece may have its name in another.
                return Dictionary(grouping: bytes, by: \.piece).sorted { $0.key < $1.key }.compactMap { piece, part in
                    guard let start = part.first?.start, let end = part.last?.end else { return nil }
                    var one = edit
                    one.range = start..<end
                    one.form = .json
                    one.isRest = piece != first.piece
                    return one
                }
            }
        }
    }
}
