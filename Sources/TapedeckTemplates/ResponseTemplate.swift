import TapedeckCore

/// A header value or a body with Mustache tags in it, ready to be filled in for a request.
///
/// Variables, sections, inverted sections, comments and changes of the delimiters follow the Mustache specification,
/// with two exceptions: nothing is escaped as HTML, and functions (`{{uppercased(query.q)}}`) are added to it. Partials
/// render nothing. The specification's optional parts (lambdas, inheritance, dynamic names) are not available. Unknown
/// names render nothing.
package struct ResponseTemplate: Sendable {
    /// The escaping of a value in `{{name}}`; `{{{name}}}` renders it unchanged.
    package enum Escaping: Sendable, Hashable {
        /// Escaped as the inside of a JSON string, for JSON bodies. A JSON null of the request renders `null`.
        case json
        /// Not escaped, for other bodies.
        case none
        /// Not escaped, but CR, LF and NUL in the rendered text become spaces, so that no request can add header fields
        /// to its answer (RFC 9110 section 5.5).
        case header
    }

    private let escaping: Escaping
    private let nodes: [TemplateNode]

    /// Every name in a tag, once, in the order of the text: `url.owner`, `json.user.id`. Names that are about an item
    /// of the section around them (`{{#json.items}}{{name}}{{/json.items}}`) are not among them.
    package let names: [String]

    /// Reads a template.
    ///
    /// - Throws: `TemplateError` with the place in the text when a tag cannot be read or a section is not closed.
    package init(_ text: String, escaping: Escaping) throws(TemplateError) {
        let parser = try TemplateParser(Array(text.utf8))
        self.escaping = escaping
        self.nodes = parser.nodes
        self.names = parser.names
    }

    /// Returns the text for one request. Values of the request are never read as templates.
    package func render(_ values: TemplateValues) -> String {
        let text = self.render(.root(TemplateRoot(values)), now: values.now)
        return self.escaping == .header ? Self.oneLine(text) : text
    }

    /// Returns the text for names that are looked up in `root`.
    func render(_ root: TemplateValue, now: Instant) -> String {
        var renderer = TemplateRenderer(root: root, now: now, escapesJSON: self.escaping == .json)
        renderer.render(self.nodes)
        return renderer.text
    }

    private static func oneLine(_ text: String) -> String {
        func endsLine(_ byte: UInt8) -> Bool { byte == ASCII.carriageReturn || byte == ASCII.lineFeed || byte == 0 }
        guard text.utf8.contains(where: endsLine) else { return text }
        return String(decoding: text.utf8.map { endsLine($0) ? ASCII.space : $0 }, as: UTF8.self)
    }
}
