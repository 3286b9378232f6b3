package import TapedeckCore

/// The parts of a request that HTTP/2 has and HTTP/1.1 has not, so that an origin of HTTP/2 gets them as they came.
package struct HTTP2RequestForm: Sendable, Equatable {
    /// The pseudo-header fields, in the order in which they came.
    package var pseudo: [HTTP2Head.Pseudo]
    /// The lengths of the fields over which the cookies came, in bytes; empty where it was one (RFC 9113 section 8.2.3).
    package var crumbs: [Int]

    /// - Parameter pseudo: by default all four, in the order that RFC 9113 section 8.3.1 lists them in.
    package init(
        pseudo: [HTTP2Head.Pseudo] = [.method, .scheme, .authority, .path],
        crumbs: [Int] = []
    ) {
        self.pseudo = pseudo
        self.crumbs = crumbs
    }

    /// Returns `fields` with the cookies over as many fields as they came in, one behind the other.
    package func withCrumbs(_ fields: [HeaderField]) -> [HeaderField] {
        guard !self.crumbs.isEmpty, let index = fields.firstIndex(where: { $0.isNamed("cookie") }) else {
            return fields
        }
        let value = ByteText.bytes(of: fields[index].value)
        let length = self.crumbs.reduce(0, +) + HTTP2Head.crumbSeparator.count * (self.crumbs.count - 1)
        // The field is not what came.
        guard value.count == length else { return fields }
        var result = fields
        var start = 0
        let parts = self.crumbs.map { count in
            defer { start += count + HTTP2Head.crumbSeparator.count }
            return HeaderField(fields[index].name, ByteText.string(from: value[start..<start + count]))
        }
        result.replaceSubrange(index...index, with: parts)
        return result
    }
}
