/// A URL with named gaps: `https://api.github.com/users/{id}/repos?page={page}`.
///
/// - `{name}` matches one or more bytes of a path segment: all but `/`, `?` and `#`.
/// - `{+name}` may also span slashes (as RFC 6570's reserved expansion does).
/// - In the query both match one or more bytes of a parameter: all but `&` and `#`.
///
/// The rest is literal. It is compared with canonical URLs (see ``RequestKey``), so it is converted to that form:
/// scheme and host in lower case, without the scheme's default port, percent-encoding in one spelling, query parameters
/// sorted by name. An empty query is dropped.
package struct URLTemplate: Sendable, Equatable, CustomStringConvertible {
    package let source: String
    /// Matches the whole URL, or where ``hasQuery`` is false the part of it before the question mark.
    package let pattern: Pattern
    /// The names in order of their place in the canonical URL.
    package let captureNames: [String]
    /// True if the template has a query; otherwise it matches any query.
    package let hasQuery: Bool

    /// - Throws: an error if braces are unpaired or nested, if a name is empty, too long, used twice or not an ASCII
    ///   letter followed by ASCII letters, digits and `_`, if a query parameter's name contains a gap, or if there is a
    ///   fragment.
    package init(_ source: String) throws(PatternError) {
        var parser = URLTemplateParser(source)
        let parts = try parser.parse()
        var regex = ""
        for part in parts.path {
            regex += Self.regex(part, gap: "[^/?#]+", wideGap: "[^?#]+")
        }
        for (position, parameter) in parts.query.enumerated() {
            regex += position == 0 ? "\\?" : "&"
            for part in parameter.parts {
                regex += Self.regex(part, gap: "[^&#]+", wideGap: "[^&#]+")
            }
        }
        self.source = source
        self.pattern = try Pattern(regex, scope: .whole)
        self.captureNames = self.pattern.captureNames
        self.hasQuery = !parts.query.isEmpty
    }

    package static func == (left: URLTemplate, right: URLTemplate) -> Bool {
        left.source == right.source
    }

    package var description: String {
        self.source
    }

    private static func regex(_ part: URLTemplateParser.Part, gap: String, wideGap: String) -> String {
        switch part {
        case .gap(let name, let isWide): "(?<\(name)>\(isWide ? wideGap : gap))"
        case .literal(let bytes): bytes.map(self.regex).joined()
        }
    }

    /// Returns a literal byte as a pattern. Never `\Q..\E`, which would hide it from the reader of literals.
    private static func regex(_ byte: UInt8) -> String {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, ASCII.slash, ASCII.colon, 0x2D, 0x5F, 0x7E, ASCII.percent,
            ASCII.ampersand, ASCII.equals:
            String(Unicode.Scalar(byte))
        case 0x21...0x7E:
            "\\" + String(Unicode.Scalar(byte))
        default:
            // Bytes, not characters: the pattern stays one of ASCII text, which is matched byte by byte.
            "\\x" + String(decoding: [ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 15)], as: UTF8.self)
        }
    }
}
