import TapedeckCore

/// Bodies that an archive holds as text.
enum HARText {
    /// The bytes of a text: UTF-8, unless the size that the archive gives is that of the text in the charset of its
    /// `Content-Type`.
    static func bytes(_ text: String, size: Int?, headers: [HeaderField]) -> [UInt8] {
        let bytes = ByteText.bytes(of: text)
        guard let size, size > 0, size != bytes.count, let charset = self.charset(headers),
            let encoded = ForeignText.encode(text, as: charset), encoded.count == size
        else { return bytes }
        return encoded
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
