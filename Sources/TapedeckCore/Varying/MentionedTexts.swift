/// The texts of requests and answers on tape in which values are looked for.
extension ResponseSet {
    fileprivate var requestTexts: [[UInt8]] {
        self.request.texts + self.variants.flatMap(\.behaviour.allTakes).flatMap { $0.request?.texts ?? [] }
    }

    fileprivate var answerTexts: [[UInt8]] { self.variants.flatMap(\.behaviour.allTakes).flatMap(\.answerTexts) }
}

extension Take {
    /// Bodies in files are not among them.
    fileprivate var answerTexts: [[UInt8]] {
        let fields = (self.headers + self.trailers).map { ByteText.bytes(of: $0.value) }
        guard case .inline(let body) = self.body else { return fields }
        return fields + [body.decoded]
    }

    func answerMentions(_ bytes: [UInt8]) -> Bool { self.answerTexts.contains { $0.containsBytes(bytes) } }
}

extension Take.Request {
    fileprivate var texts: [[UInt8]] {
        var texts = self.headers.map { ByteText.bytes(of: $0.value) }
        if let url = self.url { texts.append(ByteText.bytes(of: url)) }
        if case .inline(let body) = self.body { texts.append(body.decoded) }
        return texts
    }

    func mentions(_ bytes: [UInt8]) -> Bool { self.texts.contains { $0.containsBytes(bytes) } }
}

extension RequestMatcher {
    fileprivate var texts: [[UInt8]] {
        var texts = self.headers.flatMap { $0.value.plainTexts ?? [] }.map { ByteText.bytes(of: $0) }
        switch self.url {
        case .exact(let url): texts.append(ByteText.bytes(of: url.description))
        case .exactPath(let target): texts.append(ByteText.bytes(of: target))
        case .template, .pattern, .any: break
        }
        return texts + self.body.flatMap(\.texts)
    }

    func mentions(_ bytes: [UInt8]) -> Bool { self.texts.contains { $0.containsBytes(bytes) } }
}

extension BodyMatcher {
    fileprivate var texts: [[UInt8]] {
        switch self {
        case .messages(let matcher): matcher.items.joined().flatMap(\.texts)
        case .proto(let condition): [condition.text]
        default: self.whole.map { [$0.decoded] } ?? []
        }
    }
}

/// The sets of a tape by the beginnings of words in them that look like ids.
struct WordIndex: Sendable {
    private var entries: [UInt64: [Int]] = [:]
    /// The beginnings of words in answers.
    private var answered: Set<UInt64> = []
    private static let length = 8

    /// Adds the words of a set. Sets are added in their order.
    mutating func add(_ set: ResponseSet, as entry: Int) {
        for text in set.requestTexts { self.add(text, as: entry, isAnswer: false) }
        for text in set.answerTexts { self.add(text, as: entry, isAnswer: true) }
    }

    private mutating func add(_ text: [UInt8], as entry: Int, isAnswer: Bool) {
        guard text.count >= Self.length else { return }
        text.withUnsafeBufferPointer { bytes in
            for index in 0...bytes.count - Self.length
            where WordBoundary.isPart(bytes[index]) && WordBoundary.isStart(bytes, index) {
                guard let key = Self.key(bytes[index..<index + Self.length]) else { continue }
                if self.entries[key]?.last != entry { self.entries[key, default: []].append(entry) }
                if isAnswer { self.answered.insert(key) }
            }
        }
    }

    /// The sets that may have a word; `nil` for one that is not in the index.
    func entries(with word: [UInt8]) -> [Int]? {
        Self.key(of: word).map { self.entries[$0] ?? [] }
    }

    /// The set whose request alone has a word that some request has; `nil` if others or answers may have it, too.
    func onlySet(with word: [UInt8]) -> Int? {
        guard let key = Self.key(of: word), !self.answered.contains(key), let entries = self.entries[key],
            entries.count == 1
        else { return nil }
        return entries[0]
    }

    /// `nil` for a word that is not in the index, such as one that begins with a hyphen.
    private static func key(of word: [UInt8]) -> UInt64? {
        guard word.count >= Self.length, WordBoundary.isPart(word[0]) else { return nil }
        return Self.key(word[..<Self.length])
    }

    /// `nil` unless the bytes are letters, digits, hyphens and underscores, with at least one digit.
    private static func key(_ bytes: some Sequence<UInt8>) -> UInt64? {
        var (key, hasDigit): (UInt64, Bool) = (0, false)
        for byte in bytes {
            guard WordBoundary.isPart(byte) || byte == 0x2D || byte == 0x5F else { return nil }
            hasDigit = hasDigit || 0x30...0x39 ~= byte
            key = key << 8 | UInt64(byte)
        }
        return hasDigit ? key : nil
    }
}
