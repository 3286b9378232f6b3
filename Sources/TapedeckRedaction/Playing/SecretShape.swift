import TapedeckCore

/// The form of a secret, too coarse to reveal it: `ghp_[A-Za-z0-9]{36}`, `uuid`, `jwt`, `number`.
///
/// A word is `jwt` (RFC 7519), `uuid` (RFC 9562), `number` (a whole number of eight digits) or a private key: see
/// ``PrivateKeyShape``. Personal data are `email`, `card-4{16}` (a payment card number with these first
/// digits and this length, with its check digit) and `iban-DE` (a bank account number of this country, with its check
/// digits). Everything else is literal characters (letters, digits, `_ - . ~ : / +` and `=`, others percent-encoded) and
/// classes with a count, `[A-Za-z0-9]{32}`, in any order. A shape generates a value that programs accept, the same one every time. The shape
/// of a ``TokenShape`` is a word too.
package struct SecretShape: Sendable, Hashable {
    /// As a cassette says it.
    package let text: String
    private let parts: [Part]

    private enum Part: Sendable, Hashable {
        case literal(UInt8)
        case characters([UInt8], count: Int)
    }

    private static let words = ["jwt", "uuid", "number"] + PrivateKeyShape.allCases.map(\.rawValue)

    private static func isWord(_ text: String) -> Bool { Self.words.contains(text) || PersonalShape(text) != nil }

    /// The longest value that a shape makes, in bytes.
    private static let longest = 65_536

    /// A token of 32 letters and digits.
    package static let token = SecretShape(known: "[A-Za-z0-9]{32}")

    private init(known text: String) {
        self.text = text
        self.parts = Self.isWord(text) ? [] : (try? Self.parts(of: text)) ?? []
    }

    /// - Throws: an error if the text is not a shape.
    package init(_ text: String) throws(RedactionError) {
        self.text = text
        let isWord = Self.isWord(text) || TokenShape(text) != nil
        self.parts = isWord ? [] : try Self.parts(of: text)
    }

    /// The shape of a JSON Web Token of which header and claims are known.
    init(_ token: TokenShape) {
        self.text = token.text
        self.parts = []
    }

    /// The shape of a value.
    ///
    /// Letters and digits of any case are one class, so that two tokens of one kind have one shape, whatever their
    /// characters. Lengths are exact from 16 to 64, where tokens of one kind have one length; shorter ones, which may
    /// be passwords, count as 16, longer ones are rounded up.
    ///
    /// - Parameters:
    ///   - name: the name that the value got where it was found.
    ///   - commonStart: the number of bytes that all values of the kind begin with, which the shape has verbatim.
    package init(of value: [UInt8], named name: String, commonStart: Int = 0) {
        let rest = Array(value.dropFirst(commonStart))
        let known = SecretShapeGuess.text(of: value, named: name)
        let isPlain = commonStart > 0 && !rest.isEmpty && known.hasPrefix("[")
        let shape = isPlain ? SecretShapeGuess.plainText(of: rest) : known
        self.init(known: isPlain ? String(decoding: value.prefix(commonStart), as: UTF8.self) + shape : shape)
    }

    /// The shape of a value with what stands around its secret, which generates values of exactly its length.
    init(of value: [UInt8], named name: String, in frame: SecretFrame) {
        let inner = Array(value[frame.start..<(value.count - frame.end)])
        var shape = SecretShape(of: inner, named: name).withLength(inner.count)
        if Self.isWord(shape.text) || TokenShape(shape.text) != nil || shape.value(for: name).utf8.count != inner.count
        {
            shape = SecretShape(known: "[A-Za-z0-9]{\(inner.count)}")
        }
        let (start, end) = (value.prefix(frame.start), value.suffix(frame.end))
        self.init(known: Self.literal(start) + shape.text + Self.literal(end))
    }

    /// Literal characters of a shape; others percent-encoded.
    private static func literal(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.reduce(into: "") { text, byte in
            if Self.isLiteral(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%"
                for digit in [byte >> 4, byte] { text.unicodeScalars.append(Unicode.Scalar(ASCII.hexDigit(digit))) }
            }
        }
    }

    /// Returns the shape with the count of its last class changed so that its values have a length in bytes; the same
    /// shape if it has no such class, such as `jwt` and `pem`.
    func withLength(_ length: Int) -> SecretShape {
        guard let open = self.text.lastIndex(of: "{"), self.text.hasSuffix("}"),
            let count = Int(self.text[self.text.index(after: open)...].dropLast())
        else { return self }
        let wanted = count + length - self.value(for: "").utf8.count
        guard wanted > 0 else { return self }
        return SecretShape(known: "\(self.text[..<open]){\(wanted)}")
    }

    /// Returns true for shapes of one kind of secret: equal ones, and JSON Web Tokens that differ in their users' numbers,
    /// which follow the order of requests.
    package static func areAlike(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard let one = TokenShape(one), let other = TokenShape(other) else { return false }
        return one.renumbered(1).text == other.renumbered(1).text
    }

    /// A made-up value of this shape: the same for the same name, another for another name, in every process.
    package func value(for name: String) -> String {
        var source = StableBytes(name, self.text)
        switch self.text {
        case "jwt": return MadeUpValue.jwt(name, &source)
        case "uuid": return MadeUpValue.uuid(&source)
        case "number": return String(10_000_000 + source.next() % 90_000_000)
        default:
            if PrivateKeyShape(rawValue: self.text) != nil { return MadeUpValue.privateKey(&source) }
            if let shape = PersonalShape(self.text) { return shape.value(&source) }
        }
        if let token = TokenShape(self.text) {
            return token.token(name, .none) { SecretShape.token.value(for: $0) }
        }
        var bytes: [UInt8] = []
        for part in self.parts {
            switch part {
            case .literal(let byte): bytes.append(byte)
            case .characters(let characters, let count):
                for _ in 0..<count { bytes.append(characters[Int(source.next() % UInt64(characters.count))]) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Reading

    private static func parts(of text: String) throws(RedactionError) -> [Part] {
        var parts: [Part] = []
        var rest = Array(text.utf8)[...]
        var size = 0
        while let byte = rest.popFirst() {
            if byte == ASCII.percent {
                guard let high = rest.popFirst().flatMap(ASCII.hexValue),
                    let low = rest.popFirst().flatMap(ASCII.hexValue)
                else { throw Self.error(text) }
                parts.append(.literal(high << 4 | low))
                size += 1
                continue
            }
            guard byte == ASCII.openBracket else {
                guard Self.isLiteral(byte) else { throw Self.error(text) }
                parts.append(.literal(byte))
                size += 1
                continue
            }
            guard let end = rest.firstIndex(of: ASCII.closeBracket), let characters = Self.characters(rest[..<end])
            else {
                throw Self.error(text)
            }
            rest = rest[(end + 1)...]
            var count = 1
            if rest.first == ASCII.openBrace {
                guard let close = rest.firstIndex(of: ASCII.closeBrace),
                    let number = Int(String(decoding: rest[(rest.startIndex + 1)..<close], as: UTF8.self)), number > 0
                else { throw Self.error(text) }
                count = number
                rest = rest[(close + 1)...]
            }
            guard count <= Self.longest else { throw Self.error(text) }
            parts.append(.characters(characters, count: count))
            size += count
        }
        guard size > 0, size <= Self.longest else { throw Self.error(text) }
        return parts
    }

    private static func error(_ text: String) -> RedactionError {
        RedactionError(
            "\(text) is no shape of a secret; use \(Self.words.joined(separator: ", ")), email, card-4{16}, iban-DE, or characters and classes such as ghp_[A-Za-z0-9]{36}"
        )
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || [ASCII.colon, ASCII.slash, 0x2B, ASCII.equals].contains(byte)
    }

    /// Returns the characters of `A-Za-z0-9_`, or `nil` if it is not a class.
    private static func characters(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var characters: [UInt8] = []
        var rest = text
        while let first = rest.popFirst() {
            guard Self.isLiteral(first) else { return nil }
            if rest.first == 0x2D, let last = rest.dropFirst().first {
                guard first <= last, Self.isLiteral(last) else { return nil }
                characters += (first...last).filter(Self.isLiteral)
                rest = rest.dropFirst(2)
            } else {
                characters.append(first)
            }
        }
        return characters.isEmpty ? nil : characters
    }
}
