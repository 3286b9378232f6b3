/// The canonical form of "method and URL", as bytes: equal for requests that mean the same, and what the index of a
/// tape is keyed by.
///
/// `METHOD SP scheme://host[:port] path ?query`, where (RFC 3986 section 6.2.2)
/// - scheme and host are in lower case; the scheme's own port and a final dot of the host are left out,
/// - path and query have their canonical spelling (``URLSpelling``),
/// - query parameters are sorted by name; those of one name keep their order, which may mean something,
/// - the fragment, an empty query and empty parameters are left out.
package struct RequestKey: Sendable, Hashable {
    package private(set) var bytes: [UInt8]

    /// The key of no request yet, with room for one.
    package init() {
        self.bytes = []
        self.bytes.reserveCapacity(256)
    }

    /// `method` `nil` gives the key of a response set that takes any method.
    package init(method: String?, url: AbsoluteURL) {
        self.init()
        var method = method ?? Self.anyMethod
        let origin = Array(url.origin.description.utf8)
        method.withUTF8 { self.begin(method: UnsafeRawBufferPointer($0), origin: origin) }
        ByteText.bytes(of: url.target).withUnsafeBytes { self.append(target: $0) }
    }

    package func hash(into hasher: inout Hasher) {
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The key of the same URL for any method.
    var forAnyMethod: RequestKey {
        var key = RequestKey()
        key.bytes.append(contentsOf: Self.anyMethod.utf8)
        key.bytes.append(contentsOf: self.bytes.drop { $0 != ASCII.space })
        return key
    }

    /// The origin of the URL.
    var origin: Origin? {
        let url = self.bytes.drop { $0 != ASCII.space }.dropFirst()
        return AbsoluteURL(String(decoding: url, as: UTF8.self))?.origin
    }

    /// No method is called so (it is a token, but none that anyone registered).
    package static let anyMethod = "*"

    /// Starts the key of another request in the same storage.
    ///
    /// - Parameter origin: `scheme://host[:port]` in canonical form.
    package mutating func begin(method: UnsafeRawBufferPointer, origin: [UInt8]) {
        self.bytes.removeAll(keepingCapacity: true)
        self.bytes.append(contentsOf: method)
        self.bytes.append(ASCII.space)
        self.bytes.append(contentsOf: origin)
    }

    /// Adds path and query in canonical form.
    package mutating func append(target: UnsafeRawBufferPointer) {
        var query: Int?
        var end = target.count
        var needsWork = target.first != ASCII.slash
        for index in 0..<target.count {
            let byte = target[index]
            guard Self.isNoticed(byte) else { continue }
            switch byte {
            case ASCII.question:
                if query == nil { query = index }
            case ASCII.hash:
                end = index
            default:
                needsWork = true
            }
            if end == index { break }
        }
        if let start = query, start + 1 >= end {
            query = nil
            end = start
        }
        if query != nil, target[end - 1] == ASCII.equals { needsWork = true }
        guard needsWork else {
            self.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: target[..<end]))
            return
        }
        if target.first != ASCII.slash { self.bytes.append(ASCII.slash) }
        let path = UnsafeRawBufferPointer(rebasing: target[..<(query ?? end)])
        URLSpelling.append(path, of: .path, to: &self.bytes)
        if let query {
            self.appendSorted(query: target[(query + 1)..<end])
        }
    }

    /// Returns true for a byte that ends a part, or may have another spelling.
    @inline(__always)
    private static func isNoticed(_ byte: UInt8) -> Bool {
        // One bit for each of `#`, `%`, `&`, `+` and `?`.
        let low: UInt64 = 1 << 0x23 | 1 << 0x25 | 1 << 0x26 | 1 << 0x2B | 1 << 0x3F
        return byte < 64 && low &>> UInt64(byte) & 1 != 0 || URLSpelling.isStray(byte)
    }

    /// Adds bytes that are in canonical form already.
    mutating func appendCanonical(_ bytes: [UInt8]) {
        self.bytes.append(contentsOf: bytes)
    }

    private mutating func appendSorted(query: Slice<UnsafeRawBufferPointer>) {
        var parts: [(name: [UInt8], text: [UInt8])] = []
        for part in query.split(separator: ASCII.ampersand) {
            let parameter = UnsafeRawBufferPointer(rebasing: part)
            var text: [UInt8] = []
            text.reserveCapacity(parameter.count)
            URLSpelling.append(parameter: parameter, to: &text)
            if !text.isEmpty { parts.append((name: Array(text.prefix { $0 != ASCII.equals }), text: text)) }
        }
        // Stable by way of the position: the standard library's sort promises no order for equals.
        let sorted = parts.enumerated().sorted { left, right in
            left.element.name == right.element.name
                ? left.offset < right.offset
                : left.element.name.lexicographicallyPrecedes(right.element.name)
        }
        for (position, part) in sorted.enumerated() {
            self.bytes.append(position == 0 ? ASCII.question : ASCII.ampersand)
            self.bytes.append(contentsOf: part.element.text)
        }
    }
}
