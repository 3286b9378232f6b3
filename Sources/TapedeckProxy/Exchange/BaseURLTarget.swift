import TapedeckCore
import TapedeckHTTP1

/// A request target with a session and an origin in its path: `/.tapedeck/KEY/https/HOST[:PORT]/rest?query`.
///
/// It is for clients that can only be given a base URL: no proxy, header or certificate. The rest after the authority
/// is the request's real path.
struct BaseURLTarget: Equatable {
    /// The session's key, `ID` or `ID:TOKEN`, with its percent-encoding undone.
    var key: [UInt8]
    var origin: Origin
    /// The offset of the real path in the target.
    var pathStart: Int

    /// The prefix of such a path.
    static let prefix = "/.tapedeck/"

    /// Returns true if the path at `start` has this prefix, well-formed or not.
    static func isNamed(by target: UnsafeRawBufferPointer, from start: Int = 0) -> Bool {
        target.dropFirst(start).starts(with: self.prefix.utf8)
    }

    /// - Parameters:
    ///   - target: one that ``isNamed(by:from:)``.
    ///   - start: where its path begins.
    init(_ target: UnsafeRawBufferPointer, from start: Int = 0) throws(MalformedMessage) {
        var index = start + Self.prefix.utf8.count
        func segment() -> UnsafeRawBufferPointer {
            let from = index
            while index < target.count, target[index] != ASCII.slash, target[index] != ASCII.question,
                target[index] != ASCII.hash
            {
                index += 1
            }
            return UnsafeRawBufferPointer(rebasing: target[from..<index])
        }
        /// Returns true if another segment follows.
        func step() -> Bool {
            guard index < target.count, target[index] == ASCII.slash else { return false }
            index += 1
            return true
        }
        guard let key = PercentEncoding.bytes(segment()), !key.isEmpty, step() else {
            throw Self.problem("it has no session key")
        }
        let scheme = ByteText.string(from: segment())
        guard let scheme = Origin.Scheme(rawValue: scheme), step() else {
            throw Self.problem("behind the session key comes http or https")
        }
        guard let authority = PercentEncoding.bytes(segment()),
            let origin = Origin(scheme: scheme, authority: ByteText.string(from: authority))
        else { throw Self.problem("behind the scheme comes HOST or HOST:PORT") }
        self.key = key
        self.origin = origin
        self.pathStart = index
    }

    /// Returns the fields as an origin may see them: a page from a base URL sends that URL, with the session's key, as
    /// the referrer of its requests.
    static func withoutKeys(_ fields: [HeaderField]) -> [HeaderField] {
        func hasKey(_ field: HeaderField) -> Bool { field.isNamed("referer") && field.value.contains(self.prefix) }
        return fields.contains(where: hasKey) ? fields.filter { !hasKey($0) } : fields
    }

    private static func problem(_ reason: String) -> MalformedMessage {
        MalformedMessage("a base URL's path is \(self.prefix)KEY/https/HOST/…, and in this one \(reason)")
    }
}
