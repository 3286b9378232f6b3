/// A body as in the cassette: decoded, and readable if that reproduces the same bytes.
package enum StoredBody: Sendable, Equatable {
    case none
    case inline(InlineBody)
    case file(BodyFile)

    /// The codings that are applied again on replay.
    package var coding: BodyCoding? {
        get {
            switch self {
            case .none: nil
            case .inline(let body): body.coding
            case .file(let file): file.coding
            }
        }
        set {
            switch self {
            case .none: break
            case .inline(var body):
                body.coding = newValue
                self = .inline(body)
            case .file(var file):
                file.coding = newValue
                self = .file(file)
            }
        }
    }

    /// The files of the body: that of the body itself, and that of its coded bytes.
    package var files: [BodyFile] {
        var files: [BodyFile] = []
        if case .file(let file) = self { files.append(file) }
        if case .file(let file) = self.coding?.kept { files.append(file) }
        return files
    }

    /// The length without that coding, in bytes.
    package var decodedSize: Int {
        switch self {
        case .none: 0
        case .inline(let body): body.decoded.count
        case .file(let file): file.size
        }
    }
}

/// A body in the cassette file itself.
package struct InlineBody: Sendable, Equatable {
    package enum Form: String, Sendable {
        case text
        case json
        case base64
        /// The messages of a gRPC call, see ``InlineBody/messages``.
        case messages
    }

    package var form: Form
    private var source: Source
    /// For JSON: its formatting when recorded; `nil` if it is the one in the cassette.
    package var layout: JSONLayout?
    /// The codings it had on the wire.
    package var coding: BodyCoding?

    /// Most bodies of a large tape are never needed in a run, so they are extracted from its text only on demand.
    private enum Source: Sendable {
        case bytes([UInt8])
        case deferred(@Sendable () -> [UInt8])
        case messages(MessageList)
    }

    package init(form: Form, content: [UInt8], layout: JSONLayout? = nil, coding: BodyCoding? = nil) {
        self.form = form
        self.source = .bytes(content)
        self.layout = layout
        self.coding = coding
    }

    /// Creates a body whose content is computed on each use, and must be the same each time.
    package init(
        form: Form,
        layout: JSONLayout? = nil,
        coding: BodyCoding? = nil,
        content: @escaping @Sendable () -> [UInt8]
    ) {
        self.form = form
        self.source = .deferred(content)
        self.layout = layout
        self.coding = coding
    }

    /// A body of messages.
    package init(_ messages: MessageList) {
        self.form = .messages
        self.source = .messages(messages)
    }

    /// The content of the file: the text, the JSON in its readable form, the bytes behind the base64, or the messages in
    /// their frames.
    package var content: [UInt8] {
        switch self.source {
        case .bytes(let bytes): bytes
        case .deferred(let make): make()
        case .messages(let messages): messages.body
        }
    }

    /// About the number of bytes of the content.
    package var size: Int {
        switch self.source {
        case .bytes(let bytes): bytes.count
        case .deferred(let make): make().count
        case .messages(let list): list.messages.reduce(0) { $0 + $1.content.count }
        }
    }

    /// The messages, of a body of this form.
    package var messages: MessageList? {
        if case .messages(let messages) = self.source { messages } else { nil }
    }

    /// True if the body is a text in the cassette.
    package var isText: Bool { self.form == .text || self.form == .json }

    /// The body with its content in memory, for frequent use.
    package var resolved: InlineBody {
        guard case .deferred(let make) = self.source else { return self }
        return InlineBody(form: self.form, content: make(), layout: self.layout, coding: self.coding)
    }

    package static func == (left: InlineBody, right: InlineBody) -> Bool {
        guard left.form == right.form, left.layout == right.layout, left.coding == right.coding else { return false }
        if let messages = left.messages { return messages == right.messages }
        return left.content == right.content
    }

    /// The decoded body, byte for byte as it was before any content coding.
    package var decoded: [UInt8] {
        let content = self.content
        guard let layout = self.layout else { return content }
        return content.withUnsafeBytes { layout.apply(to: $0) }
    }
}

/// A body in a file next to the cassette.
package struct BodyFile: Sendable, Equatable {
    /// As the cassette names it: relative to the cassette's own folder, with `/` between parts.
    package var name: String
    /// The path of the file.
    package var path: String
    /// In bytes.
    package var size: Int
    /// The codings to put on the decoded bytes in the file.
    package var coding: BodyCoding?

    package init(name: String, path: String, size: Int, coding: BodyCoding? = nil) {
        self.name = name
        self.path = path
        self.size = size
        self.coding = coding
    }
}
