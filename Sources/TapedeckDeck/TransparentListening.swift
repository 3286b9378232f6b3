package import TapedeckCassettes

/// A port for clients that believe they talk to the origin itself.
package struct TransparentListening: Sendable, Equatable {
    /// 0 takes a free one.
    package var port: Int
    /// The port of origins where a client does not say.
    package var originPort: Int

    package init(port: Int, originPort: Int) {
        self.port = port
        self.originPort = originPort
    }

    /// Parses `PORT`, for the same port of origins, or `PORT=ORIGINPORT`.
    ///
    /// - Throws: ``DeckError`` with advice.
    package init(_ text: String) throws(DeckError) {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(Self.number)
        guard (1...2).contains(parts.count), let port = parts[0], let originPort = parts[parts.count - 1] else {
            throw DeckError(
                "--transparent takes PORT or PORT=ORIGINPORT, such as 443 or 8443=443, and not \"\(text)\"",
                kind: .badOption
            )
        }
        guard originPort > 0 else {
            throw DeckError(
                "--transparent \(text): say which port of origins it stands for, such as \(port)=443",
                kind: .badOption
            )
        }
        self.init(port: port, originPort: originPort)
    }

    /// The line for a user.
    package var line: String {
        "  as the origin itself, in place of its port \(self.originPort):  port \(self.port)"
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text).flatMap { $0 <= 65_535 ? $0 : nil }
    }
}
