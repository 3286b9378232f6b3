import TapedeckCassettes
import TapedeckCore

/// The key by which a client names a session: `ID` or `ID:TOKEN`.
package struct SessionKey: Sendable, Equatable {
    var id: String
    /// `nil` if none was given, or an empty one.
    var token: String?

    init(_ text: some Collection<UInt8>) {
        let colon = text.firstIndex(of: ASCII.colon)
        self.id = ByteText.string(from: text[..<(colon ?? text.endIndex)])
        let token = colon.map { ByteText.string(from: text[$0...].dropFirst()) } ?? ""
        self.token = token.isEmpty ? nil : token
    }

    /// The key in Basic credentials (RFC 7617): the user is the id, the password the token. `nil` if they have another
    /// scheme or are not base64.
    init?(credentials value: UnsafeRawBufferPointer) {
        let scheme = value.prefix { $0 != ASCII.space }
        guard scheme.map(ASCII.lowercased).elementsEqual("basic".utf8) else { return nil }
        let text = value.dropFirst(scheme.count).drop { $0 == ASCII.space }
        guard let bytes = Base64.decode(UnsafeRawBufferPointer(rebasing: text)), !bytes.isEmpty else { return nil }
        self.init(bytes)
    }
}

extension String {
    /// Returns true if both are equal, in a time that does not depend on where they differ.
    func isSameSecret(as other: String) -> Bool {
        let (left, right) = (Array(self.utf8), Array(other.utf8))
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
