/// A header value that is a word with parameters (RFC 9110 section 5.6.6), such as `form-data; name="a"`.
package struct HeaderParameters {
    /// The word before the parameters, in lower case.
    let word: String
    /// Names in lower case.
    private let parameters: [(name: String, value: String)]

    /// `nil` when it is not well-formed.
    package init?(_ value: String) {
        var rest = Array(value.utf8)[...]
        let word = rest.prefix { $0 != ASCII.semicolon }
        rest = rest[word.endIndex...]
        var parameters: [(name: String, value: String)] = []
        while rest.popFirst() != nil {
            Self.skipSpace(&rest)
            let name = rest.prefix { $0 != ASCII.equals && $0 != ASCII.semicolon }
            rest = rest[name.endIndex...]
            // A semicolon at the end is not allowed, but seen.
            if rest.first != ASCII.equals, Self.text(name).isEmpty { continue }
            guard rest.popFirst() == ASCII.equals else { return nil }
            Self.skipSpace(&rest)
            guard let value = rest.first == ASCII.quote ? Self.takeQuoted(&rest) : Self.takeToken(&rest) else {
                return nil
            }
            Self.skipSpace(&rest)
            guard rest.isEmpty || rest.first == ASCII.semicolon else { return nil }
            parameters.append((ASCII.lowercased(Self.text(name)), value))
        }
        self.word = ASCII.lowercased(Self.text(word))
        self.parameters = parameters
    }

    /// Returns true for equal parameters in any order; the case of a `charset` does not count (RFC 9110 section 8.3.2).
    func isSameMediaType(as other: HeaderParameters) -> Bool {
        func named(_ type: HeaderParameters) -> [String: String] {
            let parameters = type.parameters.map { name, value in
                (name, name == "charset" ? ASCII.lowercased(value) : value)
            }
            return Dictionary(parameters, uniquingKeysWith: { first, _ in first })
        }
        return self.word == other.word && named(self) == named(other)
    }

    /// The value of the first parameter of that name, which must be in lower case.
    package subscript(_ name: String) -> String? {
        self.parameters.first { $0.name == name }?.value
    }

    /// That of the form `name*=UTF-8''%C3%A9` (RFC 8187), which wins (RFC 6266 section 4.3), or else as the subscript.
    func extended(_ name: String) -> String? {
        guard let value = self["\(name)*"] else { return self[name] }
        let parts = value.utf8.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, ASCII.equalsIgnoringCase(String(parts[0]) ?? "", "utf-8") else { return self[name] }
        return ByteText.string(from: PercentEncoding.decoded(parts[2]))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        self.skipSpace(&bytes)
        while let last = bytes.last, last == ASCII.space || last == ASCII.tab { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func skipSpace(_ bytes: inout ArraySlice<UInt8>) {
        bytes = bytes.drop { $0 == ASCII.space || $0 == ASCII.tab }
    }

    private static func takeToken(_ bytes: inout ArraySlice<UInt8>) -> String? {
        let token = bytes.prefix { $0 != ASCII.semicolon && $0 != ASCII.space && $0 != ASCII.tab }
        bytes = bytes[token.endIndex...]
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// A backslash is an escape only in front of a quotation mark or another one: some clients send file names with
    /// plain ones.
    private static func takeQuoted(_ bytes: inout ArraySlice<UInt8>) -> String? {
        bytes.removeFirst()
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == ASCII.quote { return String(decoding: text, as: UTF8.self) }
            if byte == ASCII.backslash, let next = bytes.first, next == ASCII.quote || next == ASCII.backslash {
                text.append(next)
                bytes.removeFirst()
            } else {
                text.append(byte)
            }
        }
        return nil
    }
}
