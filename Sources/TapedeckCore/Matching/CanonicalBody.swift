/// The spelling of a request body without the differences that its media type declares meaningless: the boundary of a
/// multipart body (RFC 2046 section 5.1.1), and the order of the fields of a form (WHATWG URL section 5).
///
/// Recordings write bodies in this spelling. A request is compared as received, and in this spelling.
package enum CanonicalBody {
    /// The boundary of every canonical multipart body.
    package static let boundary = "boundary"

    /// Returns the canonical spelling; `nil` for a body whose type has none.
    ///
    /// - Parameters:
    ///   - bytes: the body without content codings.
    ///   - fields: the header fields of its request.
    package static func of(_ bytes: [UInt8], _ fields: [HeaderField]) -> [UInt8]? {
        guard let type = fields.first(named: "content-type"), let parameters = HeaderParameters(type) else {
            return nil
        }
        if parameters.word == "application/x-www-form-urlencoded" { return self.form(bytes) }
        return self.erased(bytes, BoundaryEraser(parameters))
    }

    /// Returns the bytes whose digest identifies a body: a multipart body as received, without its boundary, and any
    /// other body as it is.
    package static func withoutBoundary(_ bytes: [UInt8], _ fields: [HeaderField]) -> [UInt8] {
        self.erased(bytes, BoundaryEraser(fields)) ?? bytes
    }

    private static func erased(_ bytes: [UInt8], _ eraser: BoundaryEraser?) -> [UInt8]? {
        guard var eraser else { return nil }
        return bytes.withUnsafeBytes { eraser.update($0) } + eraser.finish()
    }

    /// Returns the Content-Type fields of a body in this spelling.
    package static func contentType(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { $0.isNamed("content-type") }.map { field in
            guard let parameters = HeaderParameters(field.value), parameters.word.hasPrefix("multipart/"),
                let boundary = parameters["boundary"], let name = field.value.firstRange(of: /boundary=/.ignoresCase()),
                let place = field.value[name.upperBound...].firstRange(of: boundary)
            else { return field }
            return HeaderField(
                field.name,
                field.value[..<place.lowerBound] + self.boundary + field.value[place.upperBound...]
            )
        }
    }

    /// Returns true if a body in this spelling may equal a request that is spelt differently.
    static func mayBe(_ bytes: [UInt8]) -> Bool {
        bytes.contains(ASCII.ampersand) || bytes.contains("--\(self.boundary)".utf8)
    }

    /// The fields sorted by name, each spelt as sent. Those of one name keep their order, which may mean something.
    private static func form(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { bytes in
            let pairs = bytes.split(separator: ASCII.ampersand, omittingEmptySubsequences: false).map { pair in
                let name = Array(PercentEncoding.decoded(pair.prefix { $0 != ASCII.equals }))
                return (name: name, text: pair)
            }
            let order = pairs.indices.sorted { left, right in
                let (one, other) = (pairs[left].name, pairs[right].name)
                return one == other ? left < right : one.lexicographicallyPrecedes(other)
            }
            return Array(order.map { pairs[$0].text }.joined(separator: [ASCII.ampersand]))
        }
    }
}

/// Replaces the boundary of a multipart body by ``CanonicalBody/boundary``, piece by piece.
package struct BoundaryEraser {
    private let delimiter: [UInt8]
    /// The end of the bytes so far, which may be the start of a delimiter.
    private var rest: [UInt8] = []
    private static let replacement = Array("--\(CanonicalBody.boundary)".utf8)

    /// Returns `nil` for requests whose body is not multipart.
    package init?(_ fields: [HeaderField]) {
        guard let type = fields.first(named: "content-type"), let parameters = HeaderParameters(type) else {
            return nil
        }
        self.init(parameters)
    }

    init?(_ type: HeaderParameters) {
        guard type.word.hasPrefix("multipart/"), let boundary = type["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        self.delimiter = Array("--\(boundary)".utf8)
    }

    /// Returns the bytes that are settled after this piece.
    package mutating func update(_ piece: UnsafeRawBufferPointer) -> [UInt8] {
        let bytes = self.rest + piece
        var settled: [UInt8] = []
        settled.reserveCapacity(bytes.count)
        var start = 0
        bytes.withUnsafeBytes { bytes in
            while let dash = bytes[start...].firstIndex(of: 0x2D) {
                settled += bytes[start..<dash]
                start = dash
                if bytes.count - dash < self.delimiter.count {
                    if self.delimiter.starts(with: bytes[dash...]) { return }
                } else if bytes[dash...].starts(with: self.delimiter) {
                    settled += Self.replacement
                    start = dash + self.delimiter.count
                    continue
                }
                settled.append(0x2D)
                start = dash + 1
            }
            settled += bytes[start...]
            start = bytes.count
        }
        self.rest = Array(bytes[start...])
        return settled
    }

    /// Returns the last bytes.
    package mutating func finish() -> [UInt8] {
        defer { self.rest = [] }
        return self.rest
    }
}
