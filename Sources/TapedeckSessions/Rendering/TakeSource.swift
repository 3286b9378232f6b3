import TapedeckCassettes
import TapedeckCodings
package import TapedeckCore
package import TapedeckRedaction

/// A take as it is played: with values in place of the placeholders of its secrets.
package struct TakeSource: Sendable {
    /// Its headers and an inline body have their values.
    package let take: Take
    /// True if it differs from the take on tape.
    package let isRestored: Bool
    /// The values for its body file; `nil` if there is no file to search.
    package let fileValues: SecretValues?
    /// True if it has values that a session's own requests gave it, so that it is played to this session alone.
    package let isOwn: Bool
    /// The size up to which a body is kept in memory to be played, in bytes; a larger one is sent from its file, piece by
    /// piece. 1 MiB.
    package static let memoryLimit = 1 << 20
    /// Larger files are sent as they are. 8 MiB.
    static let fileLimit = 8 << 20

    /// - Parameters:
    ///   - isTemplate: whether the body is a template, which is laid out when it has been filled in.
    ///   - declaresSecrets: true if the take's cassette has `secrets:`, so that a body file may have placeholders in it.
    ///   - own: returns the values that the session's requests had of their own, by the names of the tape.
    package init(
        _ take: Take,
        _ values: @autoclosure () -> SecretValues,
        isTemplate: Bool,
        declaresSecrets: Bool,
        own: () -> [String: String] = { [:] }
    ) {
        var isFile = false
        if case .file(let file) = take.body { isFile = declaresSecrets && file.size <= Self.fileLimit }
        self.fileValues = isFile ? values() : nil
        var played = take
        var isOwn = false
        var isRestored = false
        if let names = take.placeholders {
            let taped = values()
            isOwn = names.contains { taped.dependsOnSession($0) }
            played = take.restored(isOwn ? taped.with(own: own()) : taped, isTemplate: isTemplate)
            isRestored = true
        }
        if declaresSecrets, !isTemplate, let withKeys = played.withPlayedKeys(values()) {
            played = withKeys
            isRestored = true
        }
        self.take = played
        self.isOwn = isOwn
        self.isRestored = isRestored
    }

    /// Creates a source for a take that is played unchanged.
    init(asItStands take: Take) {
        self.take = take
        self.isRestored = false
        self.isOwn = false
        self.fileValues = nil
    }

    /// The take with a body file that has placeholders or escapes in it in memory, and with its values. Reads the file.
    package func loaded() throws -> (take: Take, isRestored: Bool) {
        guard let values = self.fileValues, case .file(let file) = self.take.body else {
            return (self.take, self.isRestored)
        }
        let bytes = try file.contents()
        var take = self.take
        let content: [UInt8]
        if bytes.withUnsafeBytes({ SecretPlaceholder.mayBe(in: $0) }) {
            content = take.restored(bytes, values)
        } else if let keySet = values.keySet(bytes) {
            content = keySet
        } else {
            return (self.take, self.isRestored)
        }
        let form: InlineBody.Form = String(validating: content, as: UTF8.self) == nil ? .base64 : .text
        take.setBody(InlineBody(form: form, content: content, coding: file.coding))
        return (take, true)
    }
}

extension Take {
    /// The names of the placeholders in the cassette's own text; `nil` if it has neither placeholders nor escapes.
    var placeholders: Set<String>? {
        var names: Set<String> = []
        var hasAny = false
        for field in self.interim.flatMap(\.headers) + self.headers + self.trailers {
            guard SecretPlaceholder.mayBe(in: field.value) else { continue }
            hasAny = true
            names.formUnion(SecretPlaceholder.all(in: field.value).map(\.placeholder.name))
        }
        if case .inline(let body) = self.body {
            for text in body.messages?.messages.map(\.content) ?? [body.content] {
                text.withUnsafeBytes { content in
                    guard SecretPlaceholder.mayBe(in: content) else { return }
                    hasAny = true
                    names.formUnion(SecretPlaceholder.all(in: content).map(\.placeholder.name))
                }
            }
        }
        return hasAny ? names : nil
    }

    /// The take with the keys of made-up tokens in its key set; `nil` for any other body.
    fileprivate func withPlayedKeys(_ values: @autoclosure () -> SecretValues) -> Take? {
        guard case .inline(let body) = self.body, PlayedKeySet.mayBe(body.content),
            let content = values().keySet(body.decoded)
        else { return nil }
        var take = self
        take.pieces = nil
        take.setBody(InlineBody(form: body.form, content: content, coding: body.coding))
        return take
    }

    fileprivate func restored(_ values: SecretValues, isTemplate: Bool) -> Take {
        func restored(_ fields: [HeaderField]) -> [HeaderField] {
            fields.map { HeaderField($0.name, values.restored($0.value).onOneLine) }
        }
        var take = self
        take.headers = restored(take.headers)
        take.trailers = restored(take.trailers)
        for index in take.interim.indices { take.interim[index].headers = restored(take.interim[index].headers) }
        guard case .inline(let body) = take.body else { return take }
        if let messages = body.messages {
            // A value that makes no message of its type leaves the placeholder in its place.
            let filled = try? messages.changing { _, message in
                guard message.content.withUnsafeBytes({ SecretPlaceholder.mayBe(in: $0) }) else { return nil }
                var noMarks: [Int] = []
                return values.restored(message.content, marks: &noMarks)
            }
            if let filled { take.setBody(InlineBody(filled)) }
            return take
        }
        let content = isTemplate ? body.content : body.decoded
        guard content.withUnsafeBytes({ SecretPlaceholder.mayBe(in: $0) }) else { return take }
        let filled = take.restored(content, values)
        take.setBody(
            InlineBody(
                form: body.form,
                content: filled,
                layout: isTemplate ? body.layout : nil,
                coding: body.coding
            )
        )
        return take
    }

    /// The content of the body with its values; where the body is cut into pieces moves along.
    fileprivate mutating func restored(_ content: [UInt8], _ values: SecretValues) -> [UInt8] {
        var marks = self.pieces?.marks ?? []
        defer { if !marks.isEmpty { self.pieces?.marks = marks } }
        return values.restored(content, marks: &marks)
    }

    /// Sets another body, whose length also answers a HEAD; or no length, if a coding will change it.
    fileprivate mutating func setBody(_ body: InlineBody) {
        self.body = .inline(body)
        guard let index = self.headers.firstIndex(where: { $0.isNamed("content-length") }) else { return }
        if body.coding == nil {
            self.headers[index].value = String(body.decoded.count)
        } else {
            self.headers.remove(at: index)
        }
    }
}

extension Tape {
    /// Returns true if a take's cassette has `secrets:`: its body file is searched for placeholders then.
    package func declaresSecrets(forTake number: Int) -> Bool {
        self.cassette(ofTake: number)?.declaresSecrets == true
    }
}

extension String {
    /// Without what ends a line: a value out of the environment must not begin another header field.
    fileprivate var onOneLine: String {
        func endsLine(_ byte: UInt8) -> Bool { byte == ASCII.carriageReturn || byte == ASCII.lineFeed || byte == 0 }
        guard self.utf8.contains(where: endsLine) else { return self }
        return String(decoding: self.utf8.map { endsLine($0) ? ASCII.space : $0 }, as: UTF8.self)
    }
}
