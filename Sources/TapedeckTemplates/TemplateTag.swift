/// One tag of a template: `{{name}}`, `{{#name}}` and so on.
struct TemplateTag: Equatable {
    enum Kind: Equatable {
        case variable
        /// `{{{name}}}` or `{{&name}}`: written as it is.
        case raw
        case section
        case inverted
        case close
        /// A comment, or a change of the delimiters, which the scanner has already followed.
        case nothing
        case partial
    }

    var kind: Kind
    /// As it stands in the tag, with functions around it: `uppercased(url.owner)`.
    var name: String
    /// Of the opening delimiter, in bytes.
    var start: Int

    /// The name without functions: `url.owner`. Empty in `index()`, which asks about the loop.
    var value: String {
        let inner = self.name.split(separator: "(", omittingEmptySubsequences: false).last ?? ""
        return String(inner.prefix { $0 != ")" })
    }

    var hasFunctions: Bool { self.name.utf8.contains(UInt8(ascii: "(")) }
}

/// A template is texts and tags, one after the other.
enum TemplateItem: Equatable {
    case text(Range<Int>)
    case tag(TemplateTag)
}
