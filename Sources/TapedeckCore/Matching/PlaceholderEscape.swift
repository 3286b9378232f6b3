import TapedeckPlatform

/// The escape for live text that looks like a placeholder of a secret.
///
/// `{{secret.` in live text is `{{'secret.` on tape, `{{'secret.` is `{{''secret.`, and so on: one apostrophe more on
/// tape than live. So text of the form `{{secret.NAME}}` on tape is always a placeholder, and any live text comes back
/// as it was. The escape leaves JSON valid.
package enum PlaceholderEscape {
    /// The word behind the braces of a placeholder.
    package enum Word: Sendable {
        case secret
        /// In header fields with digests of the body.
        case digest

        fileprivate var bytes: [UInt8] { self == .secret ? PlaceholderEscape.secret : PlaceholderEscape.digest }
    }

    private static let secret = Array(SecretPlaceholder.start.utf8.dropFirst(2))
    private static let digest = Array("digest.".utf8)

    /// Offsets of the first byte behind the two braces of each `{{secret.`, with any number of apostrophes in it.
    ///
    /// - Parameter onlyEscaped: true to leave out those without an apostrophe.
    package static func places(
        in text: UnsafeRawBufferPointer,
        onlyEscaped: Bool,
        word name: Word = .secret
    ) -> [Int] {
        guard let base = text.baseAddress else { return [] }
        let name = name.bytes
        var places: [Int] = []
        var index = 0
        while text.count - index > name.count,
            let brace = memchr(base + index, Int32(ASCII.openBrace), text.count - index)
        {
            index = UnsafeRawPointer(brace) - base + 1
            guard index < text.count, text[index] == ASCII.openBrace else { continue }
            let start = index + 1
            var word = start
            while word < text.count, text[word] == self.apostrophe { word += 1 }
            guard text[word...].starts(with: name) else { continue }
            if !onlyEscaped || start < word { places.append(start) }
        }
        return places
    }

    /// Returns live text in its form on tape.
    ///
    /// - Parameter marks: offsets into the text, in ascending order; each moves with the byte before it.
    package static func escaped(_ text: [UInt8], marks: inout [Int], word: Word = .secret) -> [UInt8] {
        let places = text.withUnsafeBytes { self.places(in: $0, onlyEscaped: false, word: word) }
        guard !places.isEmpty else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + places.count)
        var end = 0
        for place in places {
            result += text[end..<place]
            result.append(self.apostrophe)
            end = place
        }
        result += text[end...]
        var passed = 0
        for index in marks.indices {
            while passed < places.count, places[passed] < marks[index] { passed += 1 }
            marks[index] += passed
        }
        return result
    }

    package static func escaped(_ text: [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return self.escaped(text, marks: &marks)
    }

    package static func escaped(_ text: String, word: Word = .secret) -> String {
        guard text.utf8.contains(ASCII.openBrace) else { return text }
        var marks: [Int] = []
        return ByteText.string(from: self.escaped(ByteText.bytes(of: text), marks: &marks, word: word))
    }

    /// Returns text of a tape, without placeholders in it, as it was live.
    package static func unescaped(_ text: [UInt8], word: Word = .secret) -> [UInt8] {
        let places = text.withUnsafeBytes { self.places(in: $0, onlyEscaped: true, word: word) }
        guard !places.isEmpty else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var end = 0
        for place in places {
            result += text[end..<place]
            end = place + 1
        }
        return result + text[end...]
    }

    package static func unescaped(_ text: String, word: Word = .secret) -> String {
        guard text.containsText("{{'") else { return text }
        return ByteText.string(from: self.unescaped(ByteText.bytes(of: text), word: word))
    }

    private static let apostrophe = UInt8(ascii: "'")
}
