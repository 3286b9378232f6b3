import TapedeckCore

/// Reads a template into nodes, in one pass over its tags.
///
/// Sections, inverted sections and tags on lines of their own follow the Mustache specification
/// (https://github.com/mustache/spec).
struct TemplateParser {
    /// The renderer calls itself for each section in a section.
    private static let depthLimit = 32

    /// The nodes of the innermost open section; of the whole template once all are closed.
    private(set) var nodes: [TemplateNode] = []
    /// Every name in a tag, once, in the order of the text: see ``ResponseTemplate/names``.
    private(set) var names: [String] = []

    private let text: [UInt8]
    /// The end of what has been read.
    private var position = 0
    private var sections: [Section] = []
    private var knownNames: Set<String> = []

    private struct Section {
        var tag: TemplateTag
        /// The nodes in front of the section, in the section around it.
        var nodesBefore: [TemplateNode]
        /// True if names may be members of a JSON object of the request.
        var mayHaveMembers: Bool
    }

    init(_ text: [UInt8]) throws(TemplateError) {
        self.text = text
        var tags = try TemplateScanner.tags(in: text)[...]
        while let tag = tags.popFirst() {
            self.addText(before: tag)
            if Self.isTimeFormat(tag) {
                try self.addTime(tag, close: tags.popFirst())
            } else {
                try self.add(tag)
            }
        }
        if let open = self.sections.last?.tag {
            throw self.error("the section `\(open.name)` is never closed; write {{/\(open.name)}}", at: open)
        }
        self.addText(self.position..<text.count)
    }

    // MARK: Texts

    /// Adds the text between the last tag and this one. A section, comment or delimiter tag alone on its line removes
    /// the line.
    private mutating func addText(before tag: TemplateTag) {
        let gap = tag.takesItsLine ? self.line(of: tag) ?? tag.range : tag.range
        self.addText(self.position..<gap.lowerBound)
        self.position = gap.upperBound
    }

    private mutating func addText(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        self.nodes.append(.text(String(decoding: self.text[range], as: UTF8.self)))
    }

    /// Returns the line of a tag with its line break; `nil` if the line has anything else except white space.
    private func line(of tag: TemplateTag) -> Range<Int>? {
        func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
        let before = self.text[..<tag.range.lowerBound]
        let start = before.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        guard start == 0 || self.text[start - 1] == ASCII.lineFeed else { return nil }
        let rest = self.text[tag.range.upperBound...].drop(while: isBlank)
        if rest.isEmpty { return start..<self.text.count }
        if rest.first == ASCII.lineFeed { return start..<(rest.startIndex + 1) }
        return rest.starts(with: [ASCII.carriageReturn, ASCII.lineFeed]) ? start..<(rest.startIndex + 2) : nil
    }

    // MARK: Tags

    private mutating func add(_ tag: TemplateTag) throws(TemplateError) {
        switch tag.kind {
        case .variable, .raw:
            self.note(tag)
            self.nodes.append(.value(TemplateExpression(tag), isRaw: tag.kind == .raw))
        case .section, .inverted: try self.open(tag)
        case .close: try self.close(tag)
        case .nothing, .partial: break
        }
    }

    private mutating func open(_ tag: TemplateTag) throws(TemplateError) {
        self.note(tag)
        guard self.sections.count < Self.depthLimit else {
            throw self.error("sections are nested more than \(Self.depthLimit) deep here", at: tag)
        }
        let root = TemplateName(rawValue: String(tag.value.prefix { $0 != "." }))
        let isOuter = self.sections.last?.mayHaveMembers ?? false
        let mayHaveMembers = isOuter || tag.kind == .section && root == .json
        self.sections.append(Section(tag: tag, nodesBefore: self.nodes, mayHaveMembers: mayHaveMembers))
        self.nodes = []
    }

    private mutating func close(_ tag: TemplateTag) throws(TemplateError) {
        guard var section = self.sections.popLast() else {
            throw self.error("this closes the section `\(tag.name)`, but none is open", at: tag)
        }
        let open = section.tag
        guard open.name == tag.name else {
            throw self.error("this closes the section `\(tag.name)`, but the open one is `\(open.name)`", at: tag)
        }
        let node = TemplateNode.section(TemplateExpression(open), isInverted: open.kind == .inverted, self.nodes)
        section.nodesBefore.append(node)
        self.nodes = section.nodesBefore
    }

    /// Returns true for `{{#now}}%d.%m.%Y{{/now}}`, which contains a format, not a template.
    private static func isTimeFormat(_ tag: TemplateTag) -> Bool {
        tag.kind == .section && tag.functions.isEmpty && tag.name.prefix { $0 != "." } == TemplateName.now.rawValue
    }

    private mutating func addTime(_ tag: TemplateTag, close: TemplateTag?) throws(TemplateError) {
        guard let name = NowName(tag.name.split(separator: ".").dropFirst()), name.format == nil else {
            throw self.error("a section of now is {{#now}} or {{#now.plus-1d}} with a date format in it", at: tag)
        }
        guard let close, close.kind == .close, close.name == tag.name,
            tag.range.upperBound < close.range.lowerBound
        else {
            throw self.error(
                "`\(tag.name)` as a section holds a date format such as %d.%m.%Y and nothing else, then "
                    + "{{/\(tag.name)}}",
                at: tag
            )
        }
        let pattern = String(decoding: self.text[tag.range.upperBound..<close.range.lowerBound], as: UTF8.self)
        if let unknown = TimeFormat.unknownDirectives(in: pattern).first {
            let known = TimeFormat.directives.map { "%\($0)" }.joined(separator: " ")
            throw self.error("`\(unknown)` means nothing in a date format; there are \(known)", at: tag)
        }
        self.nodes.append(.time(offset: name.offset, .pattern(pattern)))
        self.position = close.range.upperBound
        self.note(tag)
    }

    /// Adds a name to ``names``, unless it may be a member of the section's item.
    private mutating func note(_ tag: TemplateTag) {
        let name = tag.value
        guard !name.isEmpty, !name.hasPrefix(".") else { return }
        let isKnown = TemplateName(rawValue: String(name.prefix { $0 != "." })) != nil
        guard isKnown || self.sections.last?.mayHaveMembers != true else { return }
        if self.knownNames.insert(name).inserted { self.names.append(name) }
    }

    private func error(_ message: String, at tag: TemplateTag) -> TemplateError {
        TemplateError(message, in: self.text, at: tag.range.lowerBound)
    }
}
