/// One tag of a template: `{{name}}`, `{{#name}}` and so on.
struct TemplateTag: Equatable {
    enum Kind: Equatable {
        case variable
        /// `{{{name}}}` or `{{&name}}`: not escaped.
        case raw
        case section
        case inverted
        case close
        /// A comment, or a change of the delimiters, which the scanner has already followed.
        case nothing
        case partial
    }

    var kind: Kind
    /// The text between the delimiters, with the functions: `uppercased(url.owner)`. Empty for ``Kind/nothing``.
    var name: String
    /// The bytes of the template that the tag takes, delimiters included.
    var range: Range<Int>

    /// The name without functions: `url.owner`. Empty in `index()`, which is about the loop.
    var value: String {
        let inner = self.name.split(separator: "(", omittingEmptySubsequences: false).last ?? ""
        return String(inner.prefix { $0 != ")" })
    }

    /// The functions in the name, the innermost first.
    var functions: [TemplateFunction] {
        self.name.split(separator: "(").dropLast().reversed().compactMap { TemplateFunction(rawValue: String($0)) }
    }

    /// True if the tag's whole line is removed when it has only white space otherwise.
    var takesItsLine: Bool { self.kind != .variable && self.kind != .raw }
}
