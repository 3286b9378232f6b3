/// A body as the cassette holds it: decoded, and readable where that gives back the very bytes.
package enum StoredBody: Sendable, Equatable {
    case none
    case inline(InlineBody)
    case file(BodyFile)

    /// The codings that are put back on the wire.
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

    /// The files that it stands in: that of the body itself, and that of its coded bytes.
    package var files: [BodyFile] {
        var files: [BodyFile] = []
        if case .file(let file) = self { files.append(file) }
        if case .file(let file) = self.coding?.kept { files.append(file) }
        return files
    }

    /// How long it is without that coding, in bytes.
    package var decodedSize: Int {
        switch self {
        case .none: 0
        case .inline(let body): body.decoded.count
        case .file(let file): file.size
        }
    }
}

/// A body that stands in the cassette file itself.
package struct InlineBody: Sendable, Equatable {
    package enum Form: String, Sendable {
        case text
        case json
        case base64
    }

    package var form: Form
    private var source: Source
    /// For JSON: how it stood on the wire; `nil` when just as it is written here.
    package var layout: JSONLayout?
    /// The codings it had on the wire.
    package var coding: BodyCoding?

    /// Most bodies of a large tape are never asked for in a run, so they are taken out of its text only when they are.
    private enum Source: Sendable {
        case bytes([UInt8])
        case deferred(@Sendable () -> [UInt8])
    }

    package init(form: Form, content: [UInt8], layout: JSONLayout? = nil, coding: BodyCoding? = nil) {
        self.form = form
        self.source = .bytes(content)
        self.layout = layout
        self.coding = coding
    }

    /// A body whose content is made each time it is asked for, and must be the same each time.
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

    /// The content of the file: the text, the JSON in its readable form, or the bytes behind the base64.
    package var content: [UInt8] {
        switch self.source {
        case .bytes(let bytes): bytes
        case .deferred(let make): make()
        }
    }

    /// The body with its content in memory, for frequent use.
    package var resolved: InlineBody {
        InlineBody(form: self.form, content: self.content, layout: self.layout, coding: self.coding)
    }

    package static func == (left: InlineBody, right: InlineBody) -> Bool {
        left.form == right.form && left.layout == right.layout && left.coding == right.coding
            && left.content == right.content
    }

    /// The decoded body, byte for byte as it was before any content coding.
    package var decoded: [UInt8] {
        let content = self.content
        guard let layout = self.layout else { return content }
        return content.withUnsafeBytes { layout.apply(to: $0) }
    }
}

/// A body that stands in a file beside the cassette.
package struct BodyFile: Sendable, Equatable {
    /// As the cassette names it: relative to the cassette's own folder, with `/` between parts.
    package var name: String
    /// Where the file is.
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
