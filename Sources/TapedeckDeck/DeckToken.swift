package import TapedeckCassettes

/// The secret that steers a deck, and fits every session of it.
package struct DeckToken: Sendable, Equatable {
    package let value: String
    /// True if it was generated at this start, so that it must be printed.
    package let isMade: Bool

    /// - Throws: ``DeckError`` for a text that would not survive a header or a proxy's URL.
    package init(_ value: String) throws(DeckError) {
        guard !value.isEmpty, value.utf8.allSatisfy(Self.isAllowed) else {
            throw DeckError(
                "the token is empty or has characters other than letters, digits and -._~; make one with: "
                    + "openssl rand -hex 16",
                kind: .badOption
            )
        }
        self.value = value
        self.isMade = false
    }

    private init(made value: String) {
        self.value = value
        self.isMade = true
    }

    /// The first line of a file, else `TAPEDECK_TOKEN`, else `nil`.
    ///
    /// - Throws: ``DeckError`` when the file cannot be read or holds no token.
    package static func given(file: String?) throws(DeckError) -> DeckToken? {
        guard let file else {
            guard let value = ProcessEnvironment.value("TAPEDECK_TOKEN") else { return nil }
            do {
                return try DeckToken(value)
            } catch {
                throw DeckError("TAPEDECK_TOKEN: \(error)", kind: .badOption)
            }
        }
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(file)
        } catch {
            throw DeckError("the token cannot be read: \(error)", kind: .badOption)
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        do {
            return try DeckToken(String(decoding: line, as: UTF8.self))
        } catch {
            throw DeckError("\(file): \(error)", kind: .badOption)
        }
    }

    /// Returns 128 random bits.
    package static func make() -> DeckToken {
        // The system's generator is one for cryptography on Linux and Darwin.
        let digits = (0..<32).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }
        return DeckToken(made: digits.joined())
    }

    /// RFC 3986 section 2.3: unreserved in a URL, and allowed in a bearer token.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }
}
