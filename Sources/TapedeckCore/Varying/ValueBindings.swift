import TapedeckProtobuf

/// The live values of a session for recorded ones that vary from run to run.
package struct ValueBindings: Sendable, Equatable {
    /// A recorded value and the live one in its place.
    package struct Pair: Sendable, Hashable {
        package var recorded: String
        package var live: String
        /// The place in the request where the live value was first seen, such as `$.client_ref`.
        package var place: String
        /// True for a value of the surroundings, which any number of requests may have.
        package var isOfSurroundings = false
        /// True if the cassette says that the place varies.
        package var isLearned = false
        /// The name of the member of JSON that has the value, for one too short to be replaced elsewhere in answers.
        var member: String?

        var isOfURL: Bool { RandomPlace.isOfURL(self.place) }

        package init(
            recorded: String,
            live: String,
            place: String,
            isOfSurroundings: Bool = false,
            isLearned: Bool = false
        ) {
            (self.recorded, self.live, self.place) = (recorded, live, place)
            (self.isOfSurroundings, self.isLearned) = (isOfSurroundings, isLearned)
        }
    }

    /// In the order of binding.
    package private(set) var pairs: [Pair] = []
    /// The values of members of JSON, which are replaced in members of the same name alone.
    private var memberPairs: [Pair] = []
    private var liveOf: [String: String] = [:]
    private var recordedOf: [String: String] = [:]

    /// Further values are not bound. 10,000.
    private static let limit = 10_000
    /// Shorter values are not replaced within texts, where they could be anything.
    static let shortest = 8
    /// Values that vary according to the cassette may be shorter.
    static let shortestLearned = 5

    package init() {}

    package var isEmpty: Bool { self.pairs.isEmpty && self.memberPairs.isEmpty }

    func live(of recorded: String) -> String? { self.liveOf[recorded] }
    func recorded(of live: String) -> String? { self.recordedOf[live] }

    /// Binds values; a recorded one may be bound again, to the live value of a later request.
    package mutating func bind(_ pairs: [Pair]) {
        for pair in pairs where self.pairs.count + self.memberPairs.count < Self.limit {
            if pair.member != nil {
                self.memberPairs.removeAll { $0.recorded == pair.recorded && $0.member == pair.member }
                self.memberPairs.append(pair)
                continue
            }
            let shortest = pair.isLearned ? Self.shortestLearned : Self.shortest
            guard pair.recorded.utf8.count >= shortest else { continue }
            guard self.liveOf[pair.recorded] != pair.live else { continue }
            self.pairs.removeAll { $0.recorded == pair.recorded }
            self.pairs.append(pair)
            self.liveOf[pair.recorded] = pair.live
            if !pair.isOfSurroundings { self.recordedOf[pair.live] = pair.recorded }
        }
    }

    /// Returns a text of a request with recorded values in place of live ones.
    func recorded(in text: String) -> String {
        let made = self.pairs.filter { !$0.isOfSurroundings }
        guard !made.isEmpty else { return text }
        return ByteText.string(from: Self.replacing(ByteText.bytes(of: text), made.map { ($0.live, $0.recorded) }))
    }

    /// Returns a request with recorded values in place of live ones; `nil` if it has none.
    func recorded(in request: MatchRequest) -> MatchRequest? {
        let made = self.pairs.filter { !$0.isOfSurroundings }.map { ($0.live, $0.recorded) }
        guard !made.isEmpty else { return nil }
        var result = request
        result.redacted = nil
        let url = request.key.bytes
        let changed = Self.replacing(url, made)
        result.key = RequestKey()
        result.key.appendCanonical(changed)
        result.fields = request.fields.map { field in
            HeaderField(field.name, ByteText.string(from: Self.replacing(ByteText.bytes(of: field.value), made)))
        }
        var isChanged = changed != url
        if let body = request.body?.bytes {
            let bytes = Self.replacing(body, made, in: request.fields)
            isChanged = isChanged || bytes != body
            result.body?.bytes = bytes
        }
        return isChanged ? result : nil
    }

    /// Returns a text of an answer with live values in place of recorded ones.
    package func live(in text: String) -> String {
        ByteText.string(from: self.live(in: ByteText.bytes(of: text)))
    }

    /// Returns a body of an answer with live values in place of recorded ones. Binary ones stay as they are, but for messages
    /// of protobuf and git's lines.
    package func live(in body: InlineBody, of fields: [HeaderField]) -> [UInt8] {
        if fields.hasProtobuf || fields.isOfGit {
            return Self.replacing(body.content, self.pairs.map { ($0.recorded, $0.live) }, in: fields)
        }
        return body.form == .base64 ? body.content : self.live(in: body.content)
    }

    package func live(in bytes: [UInt8]) -> [UInt8] {
        let result = Self.replacing(bytes, self.pairs.map { ($0.recorded, $0.live) })
        guard !self.memberPairs.isEmpty, Self.isJSON(result) else { return result }
        let members = Dictionary(grouping: self.memberPairs) { $0.member ?? "" }
        return members.sorted { $0.key < $1.key }.reduce(result) { $0.replacing($1.value, ofMember: $1.key) }
    }

    /// Also for event streams whose data are JSON.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        let isStream = ["data:", "event:", "id:", ":"].contains { bytes.starts(with: $0.utf8) }
        let data = isStream ? bytes.firstRange(of: Array("data:".utf8)).map { bytes[$0.upperBound...] } : bytes[...]
        return data?.first { $0 > ASCII.space }.map { $0 == ASCII.openBrace || $0 == ASCII.openBracket } ?? false
    }

    /// Returns a body with other values; messages of protobuf and git's lines have the lengths of texts in front of them.
    private static func replacing(
        _ body: [UInt8],
        _ pairs: [(from: String, to: String)],
        in fields: [HeaderField]
    ) -> [UInt8] {
        func changed(_ message: [UInt8]) -> [UInt8] {
            guard let parsed = ProtobufMessage(parsing: message) else { return message }
            let result = parsed.changingTexts { Self.replacing($0, pairs) }
            return result == parsed ? message : result.bytes
        }
        if fields.hasProtobuf { return changed(body) }
        if fields.isOfGit, let lines = GitLines(body) {
            let result = lines.changingTexts { Self.replacing($0, pairs) }
            return result == lines ? body : result.bytes
        }
        guard let framing = MessageFraming(fields), case .protobuf = MessageCodec(fields, type: nil) else {
            return Self.replacing(body, pairs)
        }
        guard let messages = framing.messages(of: body) else { return body }
        return framing.joined(messages.map { $0.flags == 0 ? GRPCMessage(bytes: changed($0.bytes)) : $0 })
    }

    private static func replacing(_ bytes: [UInt8], _ pairs: [(from: String, to: String)]) -> [UInt8] {
        let isJSON = self.isJSON(bytes)
        let isXML = bytes.first { $0 > ASCII.space } == 0x3C
        let spellings = isJSON ? Self.inJSON + Self.inURLs : [isXML ? Self.inXML : Self.plain] + Self.inURLs
        var words: [(from: [UInt8], to: [UInt8])] = []
        var seen: Set<[UInt8]> = []
        for (from, to) in pairs {
            for spelling in spellings {
                let word = spelling(ByteText.bytes(of: from))
                if seen.insert(word).inserted { words.append((word, spelling(ByteText.bytes(of: to)))) }
            }
        }
        return bytes.replacingWords(words)
    }

    /// A way to write a text.
    private typealias Spelling = @Sendable ([UInt8]) -> [UInt8]

    private static let plain: Spelling = { $0 }
    /// Also in JSON of ASCII alone.
    private static let inJSON: [Spelling] = [
        { Array(JSONValue.string(ByteText.string(from: $0[...])).compactText.dropFirst().dropLast()) },
        { JSONValue.escapedToASCII($0) },
    ]
    /// Also in forms.
    private static let inURLs: [Spelling] = [
        { $0.flatMap(Self.encoded) },
        { $0.flatMap { $0 == ASCII.space ? [0x2B] : Self.encoded($0) } },
    ]

    /// Also for attributes (XML 1.0 section 2.4).
    private static let inXML: Spelling = { bytes in
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case ASCII.ampersand: Array("&amp;".utf8)
            case 0x3C: Array("&lt;".utf8)
            case 0x3E: Array("&gt;".utf8)
            case ASCII.quote: Array("&quot;".utf8)
            case ASCII.lineFeed: Array("&#10;".utf8)
            default: [byte]
            }
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

extension [UInt8] {
    /// Returns JSON with live texts and numbers as values of members of a name that have the recorded ones.
    fileprivate func replacing(_ pairs: [ValueBindings.Pair], ofMember name: String) -> [UInt8] {
        let key = JSONValue.string(name).compactText
        guard self.containsBytes(key) else { return self }
        var values: [[UInt8]: [UInt8]] = [:]
        for pair in pairs {
            values[JSONValue.string(pair.recorded).compactText] = JSONValue.string(pair.live).compactText
            if JSONNumber(pair.recorded) != nil, JSONNumber(pair.live) != nil {
                values[ByteText.bytes(of: pair.recorded)] = ByteText.bytes(of: pair.live)
            }
        }
        var result: [UInt8] = []
        var index = 0
        while index < self.count {
            guard self[index] == ASCII.quote, self[index...].starts(with: key) else {
                result.append(self[index])
                index += 1
                continue
            }
            var start = index + key.count
            func skipSpace() { while start < self.count, self[start] <= ASCII.space { start += 1 } }
            skipSpace()
            if start < self.count, self[start] == ASCII.colon {
                start += 1
                skipSpace()
                let end = self.endOfScalar(from: start)
                result += self[index..<start]
                result += values[Array(self[start..<end])] ?? Array(self[start..<end])
                index = end
            } else {
                result += self[index..<start]
                index = start
            }
        }
        return result
    }

    /// The end of a string or of another scalar of JSON; `start` for anything else.
    private func endOfScalar(from start: Int) -> Int {
        var end = start
        guard start < self.count, self[start] == ASCII.quote else {
            while end < self.count, ASCII.isUnreserved(self[end]) || self[end] == 0x2B { end += 1 }
            return end
        }
        end += 1
        while end < self.count, self[end] != ASCII.quote { end += self[end] == ASCII.backslash ? 2 : 1 }
        return Swift.min(end + 1, self.count)
    }
}
