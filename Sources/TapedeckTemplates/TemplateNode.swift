import TapedeckCore

/// A part of a template that has been read.
enum TemplateNode: Sendable {
    case text(String)
    /// A value; a raw one is not escaped.
    case value(TemplateExpression, isRaw: Bool)
    /// The time of the rendering, moved by an offset in milliseconds.
    case time(offset: Int64, TimeFormat)
    case section(TemplateExpression, isInverted: Bool, [TemplateNode])
}

/// A name in a tag, with the functions around it.
struct TemplateExpression: Sendable {
    enum Start: Sendable {
        /// `.` and `.name`: the item of the section around the tag.
        case item
        /// `name`: the innermost section that has the name.
        case anywhere(String)
        /// `index()`: the loop around the tag.
        case loop
    }

    let start: Start
    /// The names after the start, each a part of the one before.
    let parts: [String]
    /// The innermost first.
    let functions: [TemplateFunction]

    init(_ tag: TemplateTag) {
        let name = tag.value
        let parts = name.split(separator: ".").map(String.init)
        if name.isEmpty {
            self.start = .loop
            self.parts = []
        } else if let first = parts.first, !name.hasPrefix(".") {
            self.start = .anywhere(first)
            self.parts = Array(parts.dropFirst())
        } else {
            self.start = .item
            self.parts = parts
        }
        self.functions = tag.functions
    }
}
