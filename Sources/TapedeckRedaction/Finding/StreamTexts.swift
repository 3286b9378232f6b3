import TapedeckCore

/// The texts that a stream sends piece by piece: strings in the same place of successive events, as models send the words
/// of an answer.
struct StreamTexts {
    /// A text, with the places of its pieces.
    struct Text {
        /// Strings of JSON without their quotation marks, or lines of data.
        var pieces: [Range<Int>]
        var isJSON = true
    }

    let texts: [Text]

    /// Reads events (WHATWG HTML section 9.2, `data:`), whose data is JSON or the text itself, or JSON texts of a line each.
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
        self.texts = (reader.texts.map { Text(pieces: $0) } + [Text(pieces: reader.lines, isJSON: false)]).filter {
            let pieces = $0.pieces
            // A value that each event has is no text.
            return pieces.count > 1 && pieces.contains { !text[$0].elementsEqual(text[pieces[0]]) }
        }
        if self.texts.isEmpty { return nil }
    }

    /// Of JSON without events only what models send: records of anything else have a text each.
    private static func mayBe(_ text: UnsafeRawBufferPointer, _ contentType: String?) -> Bool {
        if contentType.map(ASCII.lowercased)?.hasPrefix("text/event-stream") ?? false { return true }
        if ["data:", "event:", "id:"].contains(where: { text.starts(with: $0.utf8) }) { return true }
        return self.isList(text)
            || text.first == ASCII.openBrace && self.hasWord(of: ["\"done\"", "\"delta\"", "\"event_type\""], text)
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
        private var cursor: JSONCursor
        var texts: [[Range<Int>]] = []
        /// Data of events that is no JSON.
        var lines: [Range<Int>] = []
        private var places: [Int: Int] = [:]
        /// The strings of the event, by their places, and what tells its texts apart.
        private var found: [(place: Int, range: Range<Int>)] = []
        private var mark = 0

        init(text: UnsafeRawBufferPointer) {
            self.cursor = JSONCursor(text)
        }

        mutating func line(_ range: Range<Int>) {
            (self.cursor.index, self.cursor.end) = (range.lowerBound, range.upperBound)
            let isData = self.cursor.text[range].starts(with: "data:".utf8)
            if isData { self.cursor.index += 5 }
            if self.cursor.byte == ASCII.space { self.cursor.index += 1 }
            let hasReturn = range.last.map { self.cursor.text[$0] == ASCII.carriageReturn } ?? false
            let data = self.cursor.index..<max(self.cursor.index, range.upperBound - (hasReturn ? 1 : 0))
            self.cursor.skipSpace()
            if self.cursor.byte == ASCII.openBrace {
                self.event()
                if !self.found.isEmpty { return }
            }
            if isData, !self.cursor.text[data].elementsEqual("[DONE]".utf8) { self.lines.append(data) }
        }

        /// Reads a list of events.
        mutating func list() {
            (self.cursor.index, self.cursor.end) = (1, self.cursor.text.count)
            while self.cursor.index < self.cursor.end {
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.openBrace else {
                    return
                }
                self.event()
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.comma else {
                    return
                }
                self.cursor.index += 1
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

        /// Deeper values are not looked into.
        private static let depthLimit = 32

        private mutating func value(at place: Int, depth: Int) {
            self.cursor.skipSpace()
            guard self.cursor.index < self.cursor.end, depth < Self.depthLimit else {
                self.cursor.index = self.cursor.end
                return
            }
            switch self.cursor.text[self.cursor.index] {
            case ASCII.quote: self.found.append((place, self.cursor.string()))
            case ASCII.openBrace: self.members(at: place, depth: depth)
            case ASCII.openBracket: self.items(at: place, depth: depth)
            default:
                while self.cursor.index < self.cursor.end, !",]}".utf8.contains(self.cursor.text[self.cursor.index]) {
                    self.cursor.index += 1
                }
            }
        }

        private mutating func members(at place: Int, depth: Int) {
            self.cursor.index += 1
            while self.cursor.index < self.cursor.end {
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.quote else {
                    break
                }
                let name = self.cursor.text[self.cursor.string()]
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.colon else {
                    break
                }
                self.cursor.index += 1
                let word = name.count <= 20 ? String(decoding: name, as: UTF8.self) : ""
                let count = self.found.count
                let start = self.cursor.index
                self.value(at: Self.hash(name, place), depth: depth + 1)
                if StreamTexts.sealed.contains(word) { self.found.removeSubrange(count...) }
                if StreamTexts.numbers.contains(word) {
                    self.mark = Self.hash(self.cursor.text[start..<self.cursor.index], self.mark)
                }
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.comma else {
                    break
                }
                self.cursor.index += 1
            }
            self.cursor.index = min(self.cursor.index + 1, self.cursor.end)
        }

        private mutating func items(at place: Int, depth: Int) {
            self.cursor.index += 1
            var number = 0
            while self.cursor.index < self.cursor.end {
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] != ASCII.closeBracket
                else { break }
                self.value(at: place &* 31 &+ number &+ 1, depth: depth + 1)
                number += 1
                self.cursor.skipSpace()
                guard self.cursor.index < self.cursor.end, self.cursor.text[self.cursor.index] == ASCII.comma else {
                    break
                }
                self.cursor.index += 1
            }
            self.cursor.index = min(self.cursor.index + 1, self.cursor.end)
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
        return stream.texts.flatMap { whole -> [SecretEdit] in
            let pieces = whole.pieces
            var joined: [UInt8] = []
            // The end of each piece in the whole text.
            var ends: [Int] = []
            for piece in pieces {
                joined +=
                    text[piece].contains(ASCII.backslash) ? DecodedText(json: text, piece).bytes : Array(text[piece])
                ends.append(joined.count)
            }
            let found = joined.withUnsafeBytes { bytes -> [SecretEdit] in
                var context = TextContext()
                if !self.onlyKnown { context.kind = TextKind(of: bytes, type: nil) }
                return self.edits(in: bytes, context)
            }
            return found.flatMap { edit -> [SecretEdit] in
                let first = ends.partitioningIndex { $0 > edit.range.lowerBound }
                let last = ends.partitioningIndex { $0 >= edit.range.upperBound }
                // One that is in one piece may have its name in another.
                return (first...max(first, last)).map { number in
                    let start = number > 0 ? ends[number - 1] : 0
                    let part = edit.range.clamped(to: start..<ends[number])
                    let piece = pieces[number]
                    let sources =
                        whole.isJSON ? DecodedText(json: text, piece).sources : Array(piece) + [piece.upperBound]
                    var one = edit
                    one.range = sources[part.lowerBound - start]..<sources[part.upperBound - start]
                    if whole.isJSON { one.form = .json }
                    one.isRest = number > first
                    return one
                }
            }
        }
    }
}
