/// Splits a multipart body into its parts (RFC 2046 section 5.1.1).
package struct MultipartParser {
    /// The bytes of a part.
    package struct Part {
        /// In their order, as ``ByteText``.
        package var headers: [(name: String, value: String)]
        package var content: Range<Int>

        /// Returns the value of the first header field of a name.
        package func value(_ name: String) -> String? {
            self.headers.first { ASCII.equalsIgnoringCase($0.name, name) }?.value
        }
    }

    private static let partLimit = 1_000
    private static let headerLimit = 100
    private static let headerBytesLimit = 65_536

    private let bytes: UnsafeRawBufferPointer
    private let boundary: [UInt8]
    private let isLenient: Bool
    private var index = 0
    private var parts: [Part] = []

    /// Returns the parts; `nil` when the body is not well-formed, or has too many parts.
    ///
    /// - Parameter isLenient: true to accept line feeds as line ends, header lines that are none, and a body that is cut
    ///   off. Then it is `nil` only if no line is a delimiter, and what follows the last part that it reads is left out.
    package static func parts(
        of bytes: UnsafeRawBufferPointer,
        boundary: String,
        isLenient: Bool = false
    ) -> [Part]? {
        var parser = Self(bytes: bytes, boundary: Array("--\(boundary)".utf8), isLenient: isLenient)
        guard let first = parser.nextDelimiter() else { return nil }
        parser.index = first.end
        if first.isLast || parser.readParts() || isLenient { return parser.parts }
        return nil
    }

    private init(bytes: UnsafeRawBufferPointer, boundary: [UInt8], isLenient: Bool) {
        (self.bytes, self.boundary, self.isLenient) = (bytes, boundary, isLenient)
    }

    /// Returns true if the last delimiter ends the body.
    private mutating func readParts() -> Bool {
        while self.parts.count < Self.partLimit {
            guard let headers = self.headers() else { return false }
            guard let delimiter = self.nextDelimiter() else {
                if self.isLenient { self.parts.append(Part(headers: headers, content: self.index..<self.bytes.count)) }
                return false
            }
            self.parts.append(Part(headers: headers, content: self.index..<max(self.index, delimiter.start)))
            self.index = delimiter.end
            if delimiter.isLast { return true }
        }
        return false
    }

    // MARK: Headers

    /// Moves past the empty line that ends them.
    private mutating func headers() -> [(name: String, value: String)]? {
        let start = self.index
        var headers: [(name: String, value: String)] = []
        while !self.isLenient || !self.isAtDelimiter, let line = self.line() {
            if line.isEmpty { return headers }
            guard self.isLenient || headers.count < Self.headerLimit && self.index - start <= Self.headerBytesLimit,
                let colon = line.firstIndex(of: ASCII.colon), colon > line.startIndex,
                self.isLenient || line[..<colon].allSatisfy({ $0 > ASCII.space && $0 < 0x7F })
            else {
                if self.isLenient { continue }
                return nil
            }
            let isSpace: (UInt8) -> Bool = { $0 == ASCII.space || $0 == ASCII.tab }
            var value = line[(colon + 1)...].drop(while: isSpace)
            while let last = value.last, isSpace(last) { value.removeLast() }
            headers.append((ByteText.string(from: line[..<colon]), ByteText.string(from: value)))
        }
        return self.isLenient ? headers : nil
    }

    /// The next line without its end; `nil` when it has none, or holds another kind of line break.
    private mutating func line() -> Slice<UnsafeRawBufferPointer>? {
        let rest = self.bytes[self.index...]
        if self.isLenient {
            guard let feed = rest.firstIndex(of: ASCII.lineFeed) else { return nil }
            defer { self.index = feed + 1 }
            return rest[..<(feed > self.index && rest[feed - 1] == ASCII.carriageReturn ? feed - 1 : feed)]
        }
        guard
            let end = rest.prefix(Self.headerBytesLimit).firstIndex(where: {
                $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed
            }), rest[end...].starts(with: [ASCII.carriageReturn, ASCII.lineFeed])
        else { return nil }
        defer { self.index = end + 2 }
        return rest[..<end]
    }

    // MARK: Delimiters

    /// The next delimiter from here on: where the line break in front of it begins, which belongs to it, where what
    /// follows it begins, and whether it is the last.
    private func nextDelimiter() -> (start: Int, end: Int, isLast: Bool)? {
        // The first delimiter may be at the very start.
        if self.index == 0, self.isAtDelimiter, let end = self.endOfDelimiter(self.boundary.count) {
            return (0, end.offset, end.isLast)
        }
        // Leniently, the line break behind the headers may be that in front of the delimiter.
        var search = self.isLenient ? max(0, self.index - 1) : self.index
        while let feed = self.bytes[search...].firstIndex(of: ASCII.lineFeed) {
            search = feed + 1
            guard self.bytes[search...].starts(with: self.boundary),
                let end = self.endOfDelimiter(search + self.boundary.count)
            else { continue }
            let isCRLF = feed > 0 && self.bytes[feed - 1] == ASCII.carriageReturn
            if isCRLF { return (feed - 1, end.offset, end.isLast) }
            if self.isLenient { return (feed, end.offset, end.isLast) }
        }
        return nil
    }

    private var isAtDelimiter: Bool {
        self.bytes[self.index...].starts(with: self.boundary)
            && self.endOfDelimiter(self.index + self.boundary.count) != nil
    }

    /// Returns the end of a delimiter after its boundary: white space and a line break or, after `--`, the end. Returns
    /// `nil` at a longer boundary, or at similar text.
    private func endOfDelimiter(_ start: Int) -> (offset: Int, isLast: Bool)? {
        let isLast = self.bytes[start...].starts(with: [0x2D, 0x2D])
        let rest = self.bytes[(isLast ? start + 2 : start)...].drop { $0 == ASCII.space || $0 == ASCII.tab }
        if rest.starts(with: [ASCII.carriageReturn, ASCII.lineFeed]) { return (rest.startIndex + 2, isLast) }
        if self.isLenient, rest.first == ASCII.lineFeed { return (rest.startIndex + 1, isLast) }
        return (isLast || self.isLenient) && rest.isEmpty ? (rest.startIndex, isLast) : nil
    }
}
