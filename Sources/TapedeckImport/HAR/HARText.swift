import TapedeckCore

/// Bodies that an archive holds as text.
enum HARText {
    /// The bytes of a text.
    enum Reading {
        case bytes([UInt8])
        /// The text has a character for each byte, which no length proves.
        case bytesPerCharacter([UInt8])
        /// Bytes that are not UTF-8 were replaced by U+FFFD.
        case lost
    }

    /// Reads a text: UTF-8, unless a length says that it is a text in the charset of its `Content-Type`, or that each of its
    /// characters is a byte, as mitmproxy and ProxyPin write binary bodies.
    ///
    /// - Parameter lengths: those that the archive gives for the decoded body; only positive ones count.
    static func read(_ text: String, lengths: [Int?], headers: [HeaderField]) -> Reading {
        let bytes = ByteText.bytes(of: text)
        guard bytes.contains(where: { $0 >= 0x80 }) else { return .bytes(bytes) }
        let lengths = Set(lengths.compactMap { $0 }.filter { $0 > 0 })
        if lengths.contains(bytes.count) { return .bytes(bytes) }
        let latin1 = ForeignText.encode(text, as: "iso-8859-1")
        if let latin1, lengths.contains(latin1.count),
            !self.isUTF8(headers) || String(validating: latin1, as: UTF8.self) != nil
        {
            return .bytes(latin1)
        }
        if let charset = self.charset(headers), let encoded = ForeignText.encode(text, as: charset),
            lengths.contains(encoded.count)
        {
            return .bytes(encoded)
        }
        if !lengths.isEmpty, text.unicodeScalars.contains("\u{FFFD}") { return .lost }
        // No text has control characters from U+0080 to U+009F, but for NEL; most bodies of bytes have.
        let isOfBytes = text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) && $0.value != 0x85 }
        if let latin1, isOfBytes { return .bytesPerCharacter(latin1) }
        return .bytes(bytes)
    }

    /// The bytes of a base64 text, which may be in several lines; `nil` for every other text.
    static func base64(_ text: String) -> [UInt8]? {
        Array(text.utf8.filter { $0 > 0x20 }).withUnsafeBytes { Base64.decodeEither($0) }
    }

    /// True for JSON (RFC 8259 section 8.1), and a type that names UTF-8. Some programs give the number of characters as the
    /// length of such a body.
    private static func isUTF8(_ headers: [HeaderField]) -> Bool {
        let type = ASCII.lowercased(headers.first(named: "content-type") ?? "")
        let isJSON = type.prefix { $0 != ";" && $0 != " " }.hasSuffix("json")
        return isJSON || type.contains("charset=utf-8") || type.contains("charset=\"utf-8\"")
    }

    private static func charset(_ headers: [HeaderField]) -> String? {
        let type = ASCII.lowercased(headers.first(named: "content-type") ?? "")
        guard let start = type.firstRange(of: "charset=")?.upperBound else { return nil }
        let name = type[start...].prefix { $0 != ";" && $0 != " " }.filter { $0 != "\"" && $0 != "'" }
        return name.isEmpty || name == "utf-8" ? nil : name
    }
}

/// The parameters of a form whose text an archive does not hold.
struct HARForm {
    private let parameters: [ForeignNode]
    private let contentType: String

    init(_ parameters: [ForeignNode], contentType: String) {
        self.parameters = parameters
        self.contentType = contentType
    }

    /// The body that a browser would make of them; `nil` for a multipart form without a boundary, or with files whose
    /// content is not in the archive.
    var body: [UInt8]? {
        let type = ASCII.lowercased(self.contentType)
        guard type.hasPrefix("multipart/") else {
            return Array(self.parameters.map { Self.pair($0) }.joined(separator: "&").utf8)
        }
        guard let start = type.firstRange(of: "boundary=")?.upperBound else { return nil }
        let boundary = self.contentType[start...].prefix { $0 != ";" }.filter { $0 != "\"" }
        var text = ""
        for part in self.parameters {
            guard let value = part["value"]?.text else { return nil }
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part["name"]?.text ?? "")\""
            if let file = part["fileName"]?.text { text += "; filename=\"\(file)\"" }
            if let type = part["contentType"]?.text, !type.isEmpty { text += "\r\nContent-Type: \(type)" }
            text += "\r\n\r\n\(value)\r\n"
        }
        return Array((text + "--\(boundary)--\r\n").utf8)
    }

    private static func pair(_ node: ForeignNode) -> String {
        // Escapes that are there already stay as they are.
        let parts = [node["name"], node["value"]]
        return parts.map { ForeignText.formEncoded($0?.text ?? "", keeping: "*%+") }.joined(separator: "=")
    }
}
