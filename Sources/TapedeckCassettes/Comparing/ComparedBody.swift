import TapedeckCore

/// A body as far as two of them are compared.
enum ComparedBody: Equatable {
    case none
    case json(JSONValue)
    case text(String)
    case bytes([UInt8])
    /// Bytes that were not read.
    case file(name: String, size: Int)

    init(_ take: Take) {
        switch take.body {
        case .none: self = .none
        case .file(let file): self = .file(name: file.name, size: file.size)
        case .inline(let body): self.init(body, type: take.headers.first(named: "content-type") ?? "")
        }
    }

    private init(_ body: InlineBody, type: String) {
        if let messages = body.messages {
            self = .json(.array(messages.messages.map(\.readable)))
            return
        }
        let bytes = body.decoded
        let type = ASCII.lowercased(type)
        let mayBeJSON = body.form == .json || type.isEmpty || type.contains("json")
        if bytes.isEmpty {
            self = .none
        } else if mayBeJSON, let value = try? JSONValue(parsing: bytes) {
            self = .json(value)
        } else if body.isText, let text = String(validating: bytes, as: UTF8.self) {
            self = .text(text)
        } else {
            self = .bytes(bytes)
        }
    }

    /// The kind of body, for people.
    var kind: String {
        switch self {
        case .none: "nothing"
        case .json: "JSON"
        case .text: "text"
        case .bytes, .file: "bytes"
        }
    }

    var summary: String {
        switch self {
        case .none: "nothing"
        case .json: "JSON"
        case .text(let text) where text.utf8.count <= 60 && !text.contains(where: \.isNewline): "\"\(text)\""
        case .text(let text): "text of \(text.utf8.count) bytes"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .file(let name, let size): "\(size) bytes in \(name)"
        }
    }
}
