/// Words and what stands for each, as texts of every kind spell them, to be replaced in time that does not depend on their number.
struct SpelledWords: Sendable, Equatable {
    /// A kind of text.
    private enum Kind: Int, CaseIterable {
        case plain, json, xml

        /// Event streams whose data are JSON are JSON.
        init(_ text: [UInt8]) {
            let isStream = ["data:", "event:", "id:", ":"].contains { text.starts(with: $0.utf8) }
            let mark = Array("data:".utf8)
            let data = isStream ? text.firstPlace(of: mark).map { text[($0 + mark.count)...] } : text[...]
            switch data?.first(where: { $0 > ASCII.space }) {
            case ASCII.openBrace, ASCII.openBracket: self = .json
            case 0x3C where !isStream: self = .xml
            default: self = .plain
            }
        }

        var spellings: [WordSpelling] {
            switch self {
            case .plain: [.plain, .percent, .form]
            case .json: [.json, .asciiJSON, .percent, .form]
            case .xml: [.xml, .percent, .form]
            }
        }
    }

    /// Spelled alike in all texts.
    private var common = WordTable()
    /// Of words that texts of a kind spell in their own way.
    private var ofKind = Kind.allCases.map { _ in WordTable() }

    var isEmpty: Bool { self.common.isEmpty && self.ofKind[0].isEmpty }

    static func isJSON(_ text: [UInt8]) -> Bool { Kind(text) == .json }

    /// True for words that all texts spell alike.
    private static func areAlike(_ word: [UInt8], _ other: [UInt8]) -> Bool {
        word.allSatisfy(ASCII.isUnreserved) && other.allSatisfy(ASCII.isUnreserved)
    }

    /// A word that is there already keeps what stands for it.
    mutating func add(_ word: [UInt8], for other: [UInt8]) {
        guard !Self.areAlike(word, other) else { return self.common.add(word, for: other) }
        for kind in Kind.allCases {
            for spelling in kind.spellings {
                self.ofKind[kind.rawValue].add(spelling.apply(to: word), for: spelling.apply(to: other))
            }
        }
    }

    /// - Parameter other: what stands for it.
    mutating func remove(_ word: [UInt8], for other: [UInt8]) {
        guard !Self.areAlike(word, other) else { return self.common.remove(word) }
        for kind in Kind.allCases {
            for spelling in kind.spellings { self.ofKind[kind.rawValue].remove(spelling.apply(to: word)) }
        }
    }

    /// Returns a text with others in place of these words, of which the longest counts, and of one length those of `own`. The
    /// others are not searched again.
    func replaced(in text: [UInt8], own: SpelledWords? = nil) -> [UInt8] {
        let kind = Kind(text).rawValue
        let tables = [own?.common, own?.ofKind[kind], self.common, self.ofKind[kind]]
            .compactMap { $0 }.filter { !$0.isEmpty }
        return tables.isEmpty ? text : WordTable.replacing(tables, in: text)
    }
}

/// A way to write a text.
private enum WordSpelling {
    case plain
    case json
    /// JSON of ASCII alone.
    case asciiJSON
    case xml
    case percent
    /// Percent-encoded, with a plus sign for a space.
    case form

    func apply(to bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .plain: bytes
        case .json: Array(JSONValue.string(ByteText.string(from: bytes[...])).compactText.dropFirst().dropLast())
        case .asciiJSON: JSONValue.escapedToASCII(bytes)
        // Also in attributes (XML 1.0 section 2.4).
        case .xml: bytes.flatMap(Self.inXML)
        case .percent: bytes.flatMap(Self.encoded)
        case .form: bytes.flatMap { $0 == ASCII.space ? [0x2B] : Self.encoded($0) }
        }
    }

    private static func inXML(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case ASCII.ampersand: Array("&amp;".utf8)
        case 0x3C: Array("&lt;".utf8)
        case 0x3E: Array("&gt;".utf8)
        case ASCII.quote: Array("&quot;".utf8)
        case ASCII.lineFeed: Array("&#10;".utf8)
        default: [byte]
        }
    }

    private static func encoded(_ byte: UInt8) -> [UInt8] {
        ASCII.isUnreserved(byte)
            ? [byte] : [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
    }
}

extension JSONValue {
    /// The content of a string of JSON without other bytes than ASCII (RFC 8259 section 7).
    fileprivate static func escapedToASCII(_ bytes: [UInt8]) -> [UInt8] {
        let text = JSONValue.string(ByteText.string(from: bytes[...])).compactText.dropFirst().dropLast()
        guard text.contains(where: { $0 >= 0x80 }), let string = String(validating: text, as: UTF8.self) else {
            return Array(text)
        }
        return string.utf16.flatMap { unit -> [UInt8] in
            guard unit >= 0x80 else { return [UInt8(truncatingIfNeeded: unit)] }
            let digits = [unit >> 12, unit >> 8, unit >> 4, unit].map {
                ASCII.lowercased(ASCII.hexDigit(UInt8($0 & 0x0F)))
            }
            return [ASCII.backslash, 0x75] + digits
        }
    }
}

/// Words by their first bytes.
private struct WordTable: Sendable, Equatable {
    private var others: [[UInt8]: [UInt8]] = [:]
    /// The lengths of the words that begin with some bytes, the longest first.
    private var lengths: [UInt64: [Int]] = [:]
    /// One bit for each byte with which a word begins.
    private var starts: SIMD4<UInt64> = .zero

    var isEmpty: Bool { self.others.isEmpty }

    /// - Parameter bytes: the first eight of a word, fewer of a shorter one.
    private static func key(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static let keyLengths = [8, 7, 6, 5, 4, 3, 2, 1]
    private var shortest = Int.max

    mutating func add(_ word: [UInt8], for other: [UInt8]) {
        guard let first = word.first, self.others[word] == nil else { return }
        self.others[word] = other
        let key = Self.key(word.prefix(8))
        let known = self.lengths[key] ?? []
        if !known.contains(word.count) { self.lengths[key] = (known + [word.count]).sorted(by: >) }
        self.starts[Int(first >> 6)] |= 1 << UInt64(first & 63)
        self.shortest = min(self.shortest, word.count)
    }

    mutating func remove(_ word: [UInt8]) { self.others[word] = nil }

    /// The longest word at a place of a text that ends there, too.
    private func match(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (count: Int, other: [UInt8])? {
        let first = text[index]
        guard self.starts[Int(first >> 6)] & 1 << UInt64(first & 63) != 0 else { return nil }
        for count in Self.keyLengths where index + count <= text.count {
            guard count >= self.shortest || count == 8 else { return nil }
            guard let lengths = self.lengths[Self.key(text[index..<index + count])] else { continue }
            for length in lengths where index + length <= text.count {
                let end = index + length
                guard end == text.count || !WordBoundary.isPart(text[end]),
                    let other = self.others[Array(text[index..<end])]
                else { continue }
                return (length, other)
            }
        }
        return nil
    }

    static func replacing(_ tables: [WordTable], in text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var copied = 0
        text.withUnsafeBufferPointer { text in
            var index = 0
            while index < text.count {
                guard WordBoundary.isStart(text, index) else {
                    index += 1
                    continue
                }
                var best: (count: Int, other: [UInt8])?
                for table in tables {
                    if let found = table.match(text, at: index), found.count > best?.count ?? 0 { best = found }
                }
                guard let best else {
                    index += 1
                    continue
                }
                result += text[copied..<index]
                result += best.other
                index += best.count
                copied = index
            }
            if copied > 0 { result += text[copied...] }
        }
        return copied > 0 ? result : text
    }
}
