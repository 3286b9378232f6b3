import TapedeckCore
import TapedeckJSON

/// Bodies of forms.
enum RequestForm {
    /// Returns the fields of a form as `application/x-www-form-urlencoded`.
    static func encoded(_ fields: [(name: String, value: String)]) -> [UInt8] {
        let pairs = fields.map { "\(ForeignText.formEncoded($0.name))=\(ForeignText.formEncoded($0.value))" }
        return Array(pairs.joined(separator: "&").utf8)
    }

    /// A part of a form as `multipart/form-data`.
    struct Part {
        var name: String
        var content: [UInt8]
        /// The name of the file; `nil` for a text.
        var fileName: String?
        /// `nil` for none.
        var type: String?
    }

    /// The usual boundary; it gets a number if a part contains it.
    private static let boundary = "tapedeck-form-boundary"

    /// Returns the body of a form in parts, and the boundary between them.
    static func multipart(_ parts: [Part], boundary given: String? = nil) -> (body: [UInt8], boundary: String) {
        var boundary = given ?? self.boundary
        var number = 1
        while given == nil, parts.contains(where: { self.contains(boundary, $0.content) }) {
            number += 1
            boundary = "\(self.boundary)-\(number)"
        }
        var body: [UInt8] = []
        for part in parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(self.quoted(part.name))\""
            if let file = part.fileName { head += "; filename=\"\(self.quoted(file))\"" }
            if let type = part.type { head += "\r\nContent-Type: \(type.inOneLine)" }
            body += Array("\(head)\r\n\r\n".utf8) + part.content + [0x0D, 0x0A]
        }
        body += Array("--\(boundary)--\r\n".utf8)
        return (body, boundary)
    }

    /// Names in a Content-Disposition are quoted as browsers do it (WHATWG HTML section 4.10.21.8).
    private static func quoted(_ name: String) -> String {
        name.replacing("\"", with: "%22").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    private static func contains(_ boundary: String, _ content: [UInt8]) -> Bool {
        ByteText.string(from: content).containsText(boundary)
    }

    /// The last part of a path.
    static func fileName(_ path: String) -> String {
        path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
    }

    /// The content type of a file, by its ending.
    static func type(ofFile path: String) -> String {
        let ending = ASCII.lowercased(path.split(separator: ".").last.map(String.init) ?? "")
        return self.types[ending] ?? "application/octet-stream"
    }

    private static let types = [
        "css": "text/css", "csv": "text/csv", "gif": "image/gif", "gz": "application/gzip", "htm": "text/html",
        "html": "text/html", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "md": "text/markdown", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "txt": "text/plain",
        "webp": "image/webp", "xml": "application/xml", "yaml": "text/yaml", "yml": "text/yaml",
        "zip": "application/zip",
    ]
}
