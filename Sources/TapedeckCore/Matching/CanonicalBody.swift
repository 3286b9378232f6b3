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
///
/// A delimiter stands at the start of a line, with nothing but white space or `--` behind it (RFC 2046 section 5.1.1).
/// A line of the content that reads like a canonical delimiter gets a `=` behind it, so that different bodies stay
/// different.
package struct BoundaryEraser {
    private let delimiter: [UInt8]
    /// The start of a line that may become a delimiter.
    private var rest: [UInt8] = []
    private var isAtLineStart = true
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
        self.settle(self.rest + piece, isLast: false)
    }

    /// Returns the last bytes.
    package mutating func finish() -> [UInt8] {
        self.settle(self.rest, isLast: true)
    }

    private mutating func settle(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var settled: [UInt8] = []
        settled.reserveCapacity(bytes.count + 1)
        var index = 0
        while index < bytes.count {
            if self.isAtLineStart {
                guard isLast || !self.isOpen(bytes[index...]) else { break }
                index += self.delimiter(bytes[index...], to: &settled)
                self.isAtLineStart = false
            }
            let end = bytes[index...].firstIndex(of: ASCII.lineFeed)
            settled += bytes[index..<(end.map { $0 + 1 } ?? bytes.count)]
            self.isAtLineStart = end != nil
            index = end.map { $0 + 1 } ?? bytes.count
        }
        self.rest = Array(bytes[index...])
        return settled
    }

    /// Returns true if the bytes that follow decide what a line is.
    private func isOpen(_ line: ArraySlice<UInt8>) -> Bool {
        line.count <= self.delimiter.count && self.delimiter.starts(with: line)
            || line.count < Self.replacement.count && Self.replacement.starts(with: line)
    }

    /// Appends the canonical start of a line; returns the number of bytes that it stands for.
    private func delimiter(_ line: ArraySlice<UInt8>, to settled: inout [UInt8]) -> Int {
        if line.starts(with: self.delimiter), Self.ends(line.dropFirst(self.delimiter.count).first) {
            settled += Self.replacement
            return self.delimiter.count
        }
        guard line.starts(with: Self.replacement) else { return 0 }
        settled += Self.replacement
        settled.append(ASCII.equals)
        return Self.replacement.count
    }

    /// Returns true if a byte, or the end of the body, may follow a delimiter.
    private static func ends(_ byte: UInt8?) -> Bool {
        switch byte {
        case nil, 0x2D, ASCII.space, ASCII.tab, ASCII.carriageReturn, ASCII.lineFeed: true
        default: false
        }
    }
}
