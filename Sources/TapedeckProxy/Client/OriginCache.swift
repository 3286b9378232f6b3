import TapedeckCore
import TapedeckPlatform

/// The origin of an absolute-form target (RFC 9112 section 3.2.2).
///
/// A client asks one origin many times, so the last one is remembered by its very bytes and the next request costs a
/// comparison.
struct OriginCache: Sendable {
    private var raw: [UInt8] = []
    /// The bytes of the Host field that it was computed from; empty if it was computed from the target.
    private var host: [UInt8] = []
    private(set) var origin: Origin?
    /// `scheme://host[:port]` in canonical form.
    private(set) var canonical: [UInt8] = []
    /// True if it is `http://tapedeck.local`.
    private(set) var isLocalSite = false

    /// Finds the origin; returns the offset of the path in `target`, or `nil` if it is not an http or https URL.
    mutating func resolve(_ target: UnsafeRawBufferPointer) -> Int? {
        if self.isAtFront(of: target) { return self.raw.count }
        let text = ByteText.string(from: target)
        guard let url = AbsoluteURL(text) else { return nil }
        var slashes = 0
        let end = target.firstIndex { byte in
            if byte == ASCII.slash { slashes += 1 }
            return slashes == 3 || byte == ASCII.question || byte == ASCII.hash
        }
        self.raw = Array(target[..<(end ?? target.count)])
        self.host = []
        self.set(url.origin)
        return self.raw.count
    }

    mutating func set(_ origin: Origin) {
        self.origin = origin
        self.canonical = Array(origin.description.utf8)
        self.isLocalSite = LocalSite.contains(origin)
    }

    /// Sets the origin of a Host field.
    mutating func set(_ origin: Origin, for host: UnsafeRawBufferPointer) {
        self.set(origin)
        self.raw = []
        self.host = Array(host)
    }

    /// Returns true if the origin was set for a Host field with these bytes.
    func isSet(for host: UnsafeRawBufferPointer) -> Bool {
        guard host.count == self.host.count, !self.host.isEmpty, let bytes = host.baseAddress else { return false }
        return memcmp(bytes, self.host, host.count) == 0
    }

    private func isAtFront(of target: UnsafeRawBufferPointer) -> Bool {
        guard target.count > self.raw.count, !self.raw.isEmpty, let bytes = target.baseAddress else { return false }
        return memcmp(bytes, self.raw, self.raw.count) == 0 && Self.endsAuthority(target[self.raw.count])
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == ASCII.slash || byte == ASCII.question || byte == ASCII.hash
    }
}
