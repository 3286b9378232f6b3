import Mustache
import TapedeckCore

/// A header value or a body with Mustache tags in it, ready to be filled in for a request.
///
/// Sections, inverted sections, comments and new delimiters are as everywhere; partials give nothing, and names that
/// nothing stands behind give nothing. Nothing is ever escaped as HTML.
package struct ResponseTemplate: Sendable {
    /// What is done to a value in `{{name}}`; `{{{name}}}` writes it as it is.
    package enum Escaping: Sendable, Hashable {
        /// Escaped as the inside of a JSON string, for JSON bodies. A JSON null of the request is written as `null`.
        case json
        /// As it is, for other bodies.
        case none
        /// As it is, but the whole without the bytes that could end a header line: CR, LF and NUL become spaces, so
        /// that no request can add header fields to its answer (RFC 9110 section 5.5).
        case header
    }

    private let escaping: Escaping
    private let parts: [MustacheTemplate]
    private let pieces: TemplatePieces

    /// Every name in a tag, once, in the order of the text: `url.owner`, `json.user.id`. Names that are about an item
    /// of the section around them (`{{#json.items}}{{name}}{{/json.items}}`) are not among them.
    package let names: [String]

    package init(_ text: String, escaping: Escaping) throws(TemplateError) {
        let bytes = Array(text.utf8)
        let skeleton = try TemplateSkeleton(bytes)
        self.escaping = escaping
        self.pieces = skeleton.pieces
        self.names = skeleton.names
        let contentType = escaping == .json ? JSONStringContent.registeredName : "TEXT"
        do {
            self.parts = try skeleton.parts.map {
                try MustacheTemplate(string: "{{%CONTENT_TYPE:\(contentType)}}\n" + $0)
            }
        } catch {
            // The skeleton holds only what the library reads.
            throw TemplateError("the template cannot be read: \(error)", in: bytes, at: 0)
        }
    }

    /// The text for one request. What a request brings is written, never read as a template.
    package func render(_ values: TemplateValues) -> String {
        let root = TemplateRoot(values: values, pieces: self.pieces, writesNull: self.escaping == .json)
        var text = ""
        for part in self.parts {
            text += part.render(root)
        }
        return self.escaping == .header ? Self.oneLine(text) : text
    }

    private static func oneLine(_ text: String) -> String {
        func endsLine(_ byte: UInt8) -> Bool { byte == ASCII.carriageReturn || byte == ASCII.lineFeed || byte == 0 }
        guard text.utf8.contains(where: endsLine) else { return text }
        return String(decoding: text.utf8.map { endsLine($0) ? ASCII.space : $0 }, as: UTF8.self)
    }
}
