import TapedeckPlatform

/// A placeholder for a secret: `{{secret.NAME}}`.
///
/// The names of a cassette's secrets are only known when it is written. Until then a placeholder has a number of the
/// vault and the name that its place suggests, `{{secret.NAME#7}}`. If the text holds the secret in another form, the
/// form follows: `{{secret.NAME:base64}}`.
package struct SecretPlaceholder: Sendable, Hashable {
    /// The encoding of the secret in a text.
    package enum Form: String, Sendable, CaseIterable {
        /// As it is.
        case raw
        /// With bytes percent-encoded (RFC 3986 section 2.1).
        case percent
        /// RFC 4648 section 4.
        case base64
        /// RFC 4648 section 5, without padding.
        case base64url
        /// With the escapes of a JSON string (RFC 8259 section 7).
        case json
        /// As a JSON number. The placeholder is in a string, and plays without its quotation marks.
        case number
    }

    package var name: String
    /// The number in the vault; `nil` once the name says it all.
    package var number: Int?
    package var form: Form

    package init(name: String, number: Int? = nil, form: Form = .raw) {
        self.name = name
        self.number = number
        self.form = form
    }

    package var text: String {
        let number = self.number.map { "#\($0)" } ?? ""
        let form = self.form == .raw ? "" : ":\(self.form.rawValue)"
        return "\(Self.start)\(self.name)\(number)\(form)}}"
    }

    /// For `memcmp`: bodies have many braces, and each is compared.
    private static let startText: StaticString = "{{secret."
    package static let start = Self.startText.description
    static let startBytes = Array(Self.start.utf8)

    /// Returns true if a placeholder can have the name: 1 to 64 letters, digits, `_` and `-`.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64 && name.utf8.allSatisfy(Self.isNameByte)
    }

    package static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
    }

    // MARK: Finding

    /// Returns the placeholders in a text and their positions, in order.
    package static func all(in text: UnsafeRawBufferPointer) -> [(range: Range<Int>, placeholder: SecretPlaceholder)] {
        var found: [(range: Range<Int>, placeholder: SecretPlaceholder)] = []
        var index = 0
        while let start = Self.next(in: text, from: index) {
            if let (end, placeholder) = Self.read(text, from: start) {
                found.append((start..<end, placeholder))
                index = end
            } else {
                index = start + 1
            }
        }
        return found
    }

    package static func all(in text: String) -> [(range: Range<Int>, placeholder: SecretPlaceholder)] {
        var text = text
        return text.withUTF8 { Self.all(in: UnsafeRawBufferPointer($0)) }
    }

    /// Returns true if the text may hold a placeholder or an escaped text that looks like one: cheaper than to find it.
    package static func mayBe(in text: UnsafeRawBufferPointer) -> Bool {
        Self.next(in: text, from: 0) != nil || !PlaceholderEscape.places(in: text, onlyEscaped: true).isEmpty
    }

    package static func mayBe(in text: String) -> Bool {
        guard text.utf8.contains(ASCII.openBrace) else { return false }
        var text = text
        return text.withUTF8 { Self.mayBe(in: UnsafeRawBufferPointer($0)) }
    }

    /// Returns the text with each placeholder replaced by the result of `change`.
    package static func replacing(in text: String, _ change: (SecretPlaceholder) -> String) -> String {
        guard !Self.all(in: text).isEmpty else { return text }
        return ByteText.string(from: Self.replacing(in: ByteText.bytes(of: text)) { Array(change($0).utf8) })
    }

    /// Returns the text with placeholders that do not say in which form their secrets are.
    static func withoutForms(_ text: String) -> String {
        guard Self.mayBe(in: text) else { return text }
        return Self.replacing(in: text) { SecretPlaceholder(name: $0.name, number: $0.number).text }
    }

    package static func replacing(in bytes: [UInt8], _ change: (SecretPlaceholder) -> [UInt8]) -> [UInt8] {
        var marks: [Int] = []
        return Self.replacing(in: bytes, marks: &marks) { placeholder, range in (range, change(placeholder)) }
    }

    /// Replaces placeholders in bytes with marked places.
    ///
    /// - Parameters:
    ///   - marks: offsets, in order, which move along; one inside a placeholder moves to the end of its replacement.
    ///   - unescapes: true to remove the escapes of text that looks like a placeholder, in the same pass.
    ///   - change: gets the position of the placeholder; returns the replacement and the range to replace, which may
    ///     include bytes around it.
    package static func replacing(
        in bytes: [UInt8],
        marks: inout [Int],
        unescapes: Bool = false,
        _ change: (SecretPlaceholder, Range<Int>) -> (range: Range<Int>, text: [UInt8])
    ) -> [UInt8] {
        let placeholders = bytes.withUnsafeBytes { Self.all(in: $0) }
        var found: [(range: Range<Int>, placeholder: SecretPlaceholder?)] = placeholders.map {
            ($0.range, $0.placeholder)
        }
        if unescapes {
            let escapes = bytes.withUnsafeBytes { PlaceholderEscape.places(in: $0, onlyEscaped: true) }
            if !escapes.isEmpty {
                found = (found + escapes.map { ($0..<($0 + 1), nil) }).sorted {
                    $0.range.lowerBound < $1.range.lowerBound
                }
            }
        }
        guard !found.isEmpty else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        var mark = 0
        for (place, placeholder) in found {
            let (wanted, text) = placeholder.map { change($0, place) } ?? (place, [])
            // The bytes before it may have been replaced with the previous one.
            let range = max(wanted.lowerBound, end)..<wanted.upperBound
            while mark < marks.count, marks[mark] <= range.lowerBound {
                marks[mark] += result.count - end
                mark += 1
            }
            result += bytes[end..<range.lowerBound]
            result += text
            end = range.upperBound
            while mark < marks.count, marks[mark] <= end {
                marks[mark] = result.count
                mark += 1
            }
        }
        while mark < marks.count {
            marks[mark] += result.count - end
            mark += 1
        }
        return result + bytes[end...]
    }

    private static func next(in text: UnsafeRawBufferPointer, from index: Int) -> Int? {
        let start = Self.startText
        // A brace behind this has no room for a placeholder, nor for the comparison.
        let end = text.count - start.utf8CodeUnitCount
        var index = index
        while index < end, let base = text.baseAddress {
            guard let brace = memchr(base + index, Int32(ASCII.openBrace), end - index) else { return nil }
            index = UnsafeRawPointer(brace) - base
            if memcmp(brace, start.utf8Start, start.utf8CodeUnitCount) == 0 { return index }
            index += 1
        }
        return nil
    }

    private static func read(
        _ text: UnsafeRawBufferPointer,
        from start: Int
    ) -> (end: Int, placeholder: SecretPlaceholder)? {
        var index = start + Self.startBytes.count
        func word(_ isPart: (UInt8) -> Bool) -> String {
            let begin = index
            while index < text.count, isPart(text[index]) { index += 1 }
            return String(decoding: text[begin..<index], as: UTF8.self)
        }
        var placeholder = SecretPlaceholder(name: word(Self.isNameByte))
        guard Self.isName(placeholder.name) else { return nil }
        if index < text.count, text[index] == ASCII.hash {
            index += 1
            guard let number = Int(word { (0x30...0x39).contains($0) }) else { return nil }
            placeholder.number = number
        }
        if index < text.count, text[index] == ASCII.colon {
            index += 1
            guard let form = Form(rawValue: word { Self.isNameByte($0) }), form != .raw else { return nil }
            placeholder.form = form
        }
        guard index + 1 < text.count, text[index] == ASCII.closeBrace, text[index + 1] == ASCII.closeBrace else {
            return nil
        }
        return (index + 2, placeholder)
    }
}
