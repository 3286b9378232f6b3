/// A body of the type `multipart/form-data` (RFC 7578), or of another multipart type, whose parts have no names.
///
/// Contains only the parts, without boundaries and the text before the first and after the last.
package struct MultipartBody: Sendable {
    package struct Part: Sendable {
        /// From Content-Disposition; `nil` when it has none.
        package var name: String?
        package var filename: String?
        /// In their order, as ``ByteText``.
        package var headers: [(name: String, value: String)]
        /// As it was sent; without one a part is `text/plain`.
        package var contentType: String?
        package var content: [UInt8]
    }

    package var parts: [Part]

    /// Returns `nil` if the content type is not a multipart type with a boundary, if the body is incomplete or
    /// malformed, or if it has more than 1,000 parts.
    package init?(_ bytes: UnsafeRawBufferPointer, contentType: String) {
        guard let type = HeaderParameters(contentType), type.word.hasPrefix("multipart/"),
            let boundary = type["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        guard let parts = MultipartParser.parts(of: bytes, boundary: boundary) else { return nil }
        self.parts = []
        for part in parts {
            guard let part = Part(part, of: bytes) else { return nil }
            self.parts.append(part)
        }
    }
}

extension MultipartBody.Part {
    /// `nil` when its Content-Disposition is not well-formed.
    fileprivate init?(_ part: MultipartParser.Part, of bytes: UnsafeRawBufferPointer) {
        var disposition: HeaderParameters?
        if let text = part.value("content-disposition") {
            guard let parameters = HeaderParameters(text) else { return nil }
            disposition = parameters
        }
        self.name = disposition?.extended("name").map(Self.unescaped)
        self.filename = disposition?.extended("filename").map(Self.unescaped)
        self.headers = part.headers
        self.contentType = part.value("content-type")
        self.content = Array(bytes[part.content])
    }

    /// Browsers write quotation marks and line breaks in names as `%22`, `%0D` and `%0A`, and escape nothing else.
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
}
