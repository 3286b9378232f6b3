/// Takes a multipart body apart (RFC 2046 section 5.1.1). Lines end in CR LF, nothing else.
struct MultipartParser {
    private static let headerLimit = 100
    private static let headerBytesLimit = 65_536

    private let bytes: UnsafeRawBufferPointer
    /// With the line break in front, which belongs to it.
    private let delimiter: [UInt8]
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer, boundary: String) {
        self.bytes = bytes
        self.delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// `nil` when the body is not well-formed, or has too many parts.
    mutating func parts() -> [MultipartBody.Part]? {
        // The first delimiter may stand at the very start.
        if self.bytes.starts(with: self.delimiter[2...]), let end = self.endOfDelimiter(self.delimiter.count - 2) {
            self.index = end.offset
            if end.isLast { return [] }
        } else {
            guard let first = self.nextDelimiter() else { return nil }
            self.index = first.end
            if first.isLast { return [] }
        }
        var parts: [MultipartBody.Part] = []
        while parts.count < MultipartBody.partLimit {
            guard let headers = self.headers(), let delimiter = self.nextDelimiter() else { return nil }
            guard let part = self.part(headers, content: Array(self.bytes[self.index..<delimiter.start])) else {
                return nil
            }
            parts.append(part)
            self.index = delimiter.end
            if delimiter.isLast { return parts }
        }
        return nil
    }

    private func part(_ headers: [(name: String, value: String)], content: [UInt8]) -> MultipartBody.Part? {
        func value(_ name: String) -> String? {
            headers.first { ASCII.equalsIgnoringCase($0.name, name) }?.value
        }
        var disposition: HeaderParameters?
        if let text = value("content-disposition") {
            guard let parameters = HeaderParameters(text) else { return nil }
            disposition = parameters
        }
        return MultipartBody.Part(
            name: disposition?.extended("name").map(Self.unescaped),
            filename: disposition?.extended("filename").map(Self.unescaped),
            headers: headers,
            contentType: value("content-type"),
            content: content
        )
    }

    /// Browsers write a quotation mark and line breaks in names as `%22`, `%0D` and `%0A`, and nothing else so.
    private static func unescaped(_ name: String) -> String {
        guard name.utf8.contains(ASCII.percent) else { return name }
        var text: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            let code = byte == ASCII.percent ? ASCII.lowercased(String(decoding: rest.prefix(2), as: UTF8.self)) : ""
            switch code {
            case "22": text.append(ASCII.quote)
            case "0d": text.append(ASCII.carriageReturn)
            case "0a": text.append(ASCII.lineFeed)
            default:
                text.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Headers

    /// Goes behind the empty line that ends them.
    private mutating func headers() -> [(name: String, value: String)]? {
        let start = self.index
        var headers: [(name: String, value: String)] = []
        while let line = self.line() {
            if line.isEmpty { return headers }
            guard headers.count < Self.headerLimit, self.index - start <= Self.headerBytesLimit,
                let colon = line.firstIndex(of: ASCII.colon), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > ASCII.space && $0 < 0x7F })
            else { return nil }
            let isSpace: (UInt8) -> Bool = { $0 == ASCII.space || $0 == ASCII.tab }
            var value = line[(colon + 1)...].drop(while: isSpace)
            while let last = value.last, isSpace(last) { value.removeLast() }
            headers.append((ByteText.string(from: line[..<colon]), ByteText.string(from: value)))
        }
        return nil
    }

    /// The next line without its end; `nil` when it has none, or holds another kind of line break.
    private mutating func line() -> Slice<UnsafeRawBufferPointer>? {
        let rest = self.bytes[self.index...].prefix(Self.headerBytesLimit)
        guard let end = rest.firstIndex(where: { $0 == ASCII.carriageReturn || $0 == ASCII.lineFeed }),
            rest[end...].starts(with: [ASCII.carriageReturn, ASCII.lineFeed])
        else { return nil }
        defer { self.index = end + 2 }
        return rest[..<end]
    }

    // MARK: Delimiters

    /// The next delimiter from here on: where it begins, where what follows it begins, and whether it is the last.
    private func nextDelimiter() -> (start: Int, end: Int, isLast: Bool)? {
        var start = self.index
        while start + self.delimiter.count <= self.bytes.count {
            guard let found = self.bytes[start...].firstIndex(of: ASCII.carriageReturn) else { return nil }
            if self.bytes[found...].starts(with: self.delimiter),
                let end = self.endOfDelimiter(found + self.delimiter.count)
            {
                return (found, end.offset, end.isLast)
            }
            start = found + 1
        }
        return nil
    }

    /// What may follow a boundary: white space and a line break or, behind `--`, the end. `nil` when this is the
    /// start of a longer boundary, or of text that looks alike.
    private func endOfDelimiter(_ start: Int) -> (offset: Int, isLast: Bool)? {
        let isLast = self.bytes[start...].starts(with: [0x2D, 0x2D])
        let rest = self.bytes[(isLast ? start + 2 : start)...].drop { $0 == ASCII.space || $0 == ASCII.tab }
        if rest.starts(with: [ASCII.carriageReturn, ASCII.lineFeed]) { return (rest.startIndex + 2, isLast) }
        return isLast && rest.isEmpty ? (rest.startIndex, true) : nil
    }
}
