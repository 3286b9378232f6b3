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

    /// By their recorded values.
    private var pairs: [String: Pair] = [:]
    private var recordedOf: [String: String] = [:]
    private var toLive = SpelledWords()
    /// Of values that a program made.
    private var toRecorded = SpelledWords()
    /// The values of the request that is answered, which come before those of earlier ones.
    private var own = SpelledWords()
    /// The values of members of JSON, which are replaced in members of the same name alone.
    private var memberPairs: [Pair] = []

    /// Further values are not bound. 10,000.
    private static let limit = 10_000
    /// Shorter values are not replaced within texts, where they could be anything.
    static let shortest = 8
    /// Values that vary according to the cassette may be shorter.
    static let shortestLearned = 5

    package init() {}

    package var isEmpty: Bool { self.pairs.isEmpty && self.own.isEmpty && self.memberPairs.isEmpty }

    func live(of recorded: String) -> String? { self.pairs[recorded]?.live }
    func recorded(of live: String) -> String? { self.recordedOf[live] }

    /// Binds values; a recorded one may be bound again, to the live value of a later request.
    package mutating func bind(_ pairs: [Pair]) {
        for pair in pairs where self.pairs.count + self.memberPairs.count < Self.limit {
            if pair.member != nil {
                self.bindMember(pair)
                continue
            }
            let former = self.pairs[pair.recorded]
            guard Self.isLong(pair), former?.live != pair.live else { continue }
            let (recorded, live) = (ByteText.bytes(of: pair.recorded), ByteText.bytes(of: pair.live))
            if let former {
                let formerLive = ByteText.bytes(of: former.live)
                self.toLive.remove(recorded, for: formerLive)
                if self.recordedOf[former.live] == pair.recorded {
                    self.recordedOf[former.live] = nil
                    self.toRecorded.remove(formerLive, for: recorded)
                }
            }
            self.pairs[pair.recorded] = pair
            self.toLive.add(recorded, for: live)
            guard !pair.isOfSurroundings else { continue }
            self.recordedOf[pair.live] = pair.recorded
            self.toRecorded.add(live, for: recorded)
        }
    }

    private mutating func bindMember(_ pair: Pair) {
        self.memberPairs.removeAll { $0.recorded == pair.recorded && $0.member == pair.member }
        self.memberPairs.append(pair)
    }

    private static func isLong(_ pair: Pair) -> Bool {
        pair.recorded.utf8.count >= (pair.isLearned ? Self.shortestLearned : Self.shortest)
    }

    /// These with values of a request, for the answer to it.
    func binding(_ pairs: [Pair]) -> ValueBindings {
        guard !pairs.isEmpty else { return self }
        var bindings = self
        for pair in pairs {
            if pair.member != nil {
                bindings.bindMember(pair)
            } else if Self.isLong(pair) {
                bindings.own.add(ByteText.bytes(of: pair.recorded), for: ByteText.bytes(of: pair.live))
            }
        }
        return bindings
    }

    /// Returns a text of a request with recorded values in place of live ones.
    func recorded(in text: String) -> String {
        self.toRecorded.isEmpty
            ? text : ByteText.string(from: self.toRecorded.replaced(in: ByteText.bytes(of: text)))
    }

    /// Returns a request with recorded values in place of live ones; `nil` if it has none.
    func recorded(in request: MatchRequest) -> MatchRequest? {
        guard !self.toRecorded.isEmpty else { return nil }
        var result = request
        result.redacted = nil
        let url = request.key.bytes
        let changed = self.toRecorded.replaced(in: url)
        result.key = RequestKey()
        result.key.appendCanonical(changed)
        result.fields = request.fields.map { field in
            let value = ByteText.bytes(of: field.value)
            let recorded = self.toRecorded.replaced(in: value)
            return recorded == value ? field : HeaderField(field.name, ByteText.string(from: recorded))
        }
        var isChanged = changed != url
        if let body = request.body?.bytes {
            let bytes = Self.changing(body, of: request.fields) { self.toRecorded.replaced(in: $0) }
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
        if fields.hasProtobuf || fields.isOfGit { return Self.changing(body.content, of: fields, self.live) }
        return body.form == .base64 ? body.content : self.live(in: body.content)
    }

    package func live(in bytes: [UInt8]) -> [UInt8] {
        let result = self.toLive.replaced(in: bytes, own: self.own)
        guard !self.memberPairs.isEmpty, SpelledWords.isJSON(result) else { return result }
        let members = Dictionary(grouping: self.memberPairs) { $0.member ?? "" }
        return members.sorted { $0.key < $1.key }.reduce(result) { $0.replacing($1.value, ofMember: $1.key) }
    }

    /// Returns a body with other texts; messages of protobuf and git's lines have the lengths of texts in front of them.
    private static func changing(
        _ body: [UInt8],
        of fields: [HeaderField],
        _ change: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        func changed(_ message: [UInt8]) -> [UInt8] {
            guard let parsed = ProtobufMessage(parsing: message) else { return message }
            let result = parsed.changingTexts(change)
            return result == parsed ? message : result.bytes
        }
        if fields.hasProtobuf { return changed(body) }
        if fields.isOfGit, let lines = GitLines(body) {
            let result = lines.changingTexts(change)
            return result == lines ? body : result.bytes
        }
        guard let framing = MessageFraming(fields), case .protobuf = MessageCodec(fields, type: nil) else {
            return change(body)
        }
        guard let messages = framing.messages(of: body) else { return body }
        return framing.joined(messages.map { $0.flags == 0 ? GRPCMessage(bytes: changed($0.bytes)) : $0 })
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
