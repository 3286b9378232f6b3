import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckRedaction
import TapedeckYAML

/// The texts of a cassette that may contain secrets, including its body files.
struct SecretTexts {
    struct Text {
        var place: SecretPlace
        /// Without base64 and content codings.
        var content: [UInt8]
        var isBase64 = false
        /// The content codings that were decoded, in the order in which they were applied.
        var codings: [ContentCoding] = []
        /// The body file that it is the content of.
        var file: String?

        /// Returns a content in its form in the cassette or the body file.
        ///
        /// - Throws: an error if it cannot be encoded.
        func encoded(_ content: [UInt8]) throws -> [UInt8] {
            let packed = try ContentCoder.encode(content, self.codings.map { CodingRecipe($0) })
            return self.isBase64 ? Base64.encode(packed) : packed
        }
    }

    /// In the order of the file.
    let texts: [Text]

    /// Reads the body files; one that is missing is for `check` to tell.
    ///
    /// - Parameter folder: of the cassette.
    init(_ document: YAMLDocument, in folder: String) {
        self.texts = SecretPlace.all(in: document).compactMap { place in
            var text = Text(place: place, content: [])
            switch place.kind {
            case .base64:
                guard let bytes = place.node.withScalarBytes({ Base64.decode($0) }) else { return nil }
                text.content = bytes
                text.isBase64 = true
            case .file:
                let name = place.node.string
                let path = FilePath.join(folder, name)
                guard !name.split(separator: "/").contains(".."), let bytes = try? FileContents.read(path) else {
                    return nil
                }
                text.content = bytes
                text.file = path
            default:
                text.content = place.node.bytes
                return text
            }
            text.unpack()
            return text
        }
    }

    /// Returns each text with placeholders in place of its secrets, or the reason why it could not be searched.
    ///
    /// A secret found in one text may occur in an earlier one, where no rule finds it: all are searched until nothing
    /// new is found.
    ///
    /// - Parameter progress: counts the texts.
    func redacted(by redactor: Redactor, progress: WorkProgress? = nil) -> [Result<[UInt8], RedactionFailure>] {
        while true {
            let known = redactor.vault.count
            progress?.begin(self.texts.count)
            let results = self.texts.map { text -> Result<[UInt8], RedactionFailure> in
                defer { progress?.step() }
                return Result { () throws(RedactionFailure) in
                    try redactor.redact(text.content, as: text.place.kind, isRequest: text.place.isRequest)
                }
            }
            if redactor.vault.count == known { return results }
        }
    }
}

extension SecretTexts.Text {
    /// Decodes content codings, recognised by the first bytes or by the name of a kept file. If that fails, the bytes
    /// are searched undecoded.
    mutating func unpack() {
        while self.codings.count < ContentCoding.depthLimit, let coding = self.coding,
            let content = try? ContentCoder.decode(self.content, coding, limit: SecretScan.bodyLimit)
        {
            self.content = content
            self.codings.insert(coding, at: 0)
        }
    }

    private var coding: ContentCoding? {
        if self.content.starts(with: [0x1F, 0x8B]) { return .gzip }
        if self.content.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        guard self.codings.isEmpty, let file = self.file else { return nil }
        return file.hasSuffix(".br") ? .br : file.hasSuffix(".zz") ? .deflate : nil
    }
}

extension RedactionFailure {
    /// The reason why a text was not searched.
    var whyUnsearched: String {
        switch self.reason {
        case .rule: self.description
        case .tooLarge(let limit): "it is larger than \(limit >> 20) MiB"
        case .coding(let coding): "its content coding \(coding) cannot be taken off"
        case .codings: "it holds codings within codings that take too long to take off"
        }
    }
}
