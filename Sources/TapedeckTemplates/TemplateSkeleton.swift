import TapedeckCore

/// A template as the library gets it: nothing but tags, line breaks, white space and short plain texts.
///
/// The library reads by grapheme clusters, looks at all of the rest of a text for each brace and tag, and recurses for
/// each section. So every tag is checked and written anew, every other text is replaced by a name (``TemplatePieces``),
/// and the whole is cut, outside of sections, into parts of about a kilobyte: reading takes time in proportion to the
/// length, and no text can upset it.
struct TemplateSkeleton {
    private static let depthLimit = 32
    private static let partLength = 1_024
    /// Of one section with all that is in it, as it cannot be cut.
    private static let sectionLimit = 32_768
    /// Of a text that stays in its place, which is faster than a name for it: in a section, and outside.
    private static let plainLimits = (inside: 64, outside: 512)

    private(set) var parts: [String] = []
    private(set) var pieces = TemplatePieces()
    private(set) var names: [String] = []

    private let text: [UInt8]
    private var part = ""
    private var sections: [Section] = []
    /// Whether nothing but white space stands on the line so far. Tags that have a line to themselves take it with
    /// them, so it must not change where the parts are cut.
    private var isAtLineStart = true
    private var knownNames: Set<String> = []

    private struct Section {
        var tag: TemplateTag
        /// Whether names may be members of a JSON object of the request.
        var mayHaveMembers: Bool
    }

    init(_ text: [UInt8]) throws(TemplateError) {
        self.text = text
        let items = try TemplateScanner.items(of: text)
        var index = 0
        while index < items.count {
            switch items[index] {
            case .text(let range): self.addText(range)
            case .tag(let tag) where Self.isTimeFormat(tag):
                try self.addTime(tag, items[index...].dropFirst().prefix(2))
                index += 2
            case .tag(let tag): try self.add(tag)
            }
            index += 1
        }
        if let open = self.sections.last?.tag {
            throw self.error("the section `\(open.name)` is never closed; write {{/\(open.name)}}", at: open)
        }
        if !self.part.isEmpty { self.parts.append(self.part) }
    }

    // MARK: Tags

    private mutating func add(_ tag: TemplateTag) throws(TemplateError) {
        self.cutBeforeTag()
        switch tag.kind {
        case .variable: self.part += "{{\(tag.name)}}"
        case .raw: self.part += "{{{\(tag.name)}}}"
        case .nothing: self.part += "{{!}}"
        case .partial: self.part += "{{>none}}"
        case .section, .inverted:
            self.part += tag.kind == .section ? "{{#\(tag.name)}}" : "{{^\(tag.name)}}"
            try self.open(tag)
        case .close:
            self.part += "{{/\(tag.name)}}"
            try self.close(tag)
        }
        if tag.kind == .variable || tag.kind == .raw { self.note(tag) }
        self.isAtLineStart = false
    }

    private mutating func open(_ tag: TemplateTag) throws(TemplateError) {
        self.note(tag)
        guard self.sections.count < Self.depthLimit else {
            throw self.error("sections are nested more than \(Self.depthLimit) deep here", at: tag)
        }
        let root = TemplateName(rawValue: String(tag.value.prefix { $0 != "." }))
        let isOuter = self.sections.last?.mayHaveMembers ?? false
        self.sections.append(Section(tag: tag, mayHaveMembers: isOuter || tag.kind == .section && root == .json))
    }

    private mutating func close(_ tag: TemplateTag) throws(TemplateError) {
        guard let open = self.sections.popLast()?.tag else {
            throw self.error("this closes the section `\(tag.name)`, but none is open", at: tag)
        }
        guard open.name == tag.name else {
            throw self.error("this closes the section `\(tag.name)`, but the open one is `\(open.name)`", at: tag)
        }
        guard !self.sections.isEmpty || self.part.utf8.count <= Self.sectionLimit else {
            throw self.error("the section `\(open.name)` has too many tags; split it into several", at: open)
        }
    }

    /// `{{#now}}%d.%m.%Y{{/now}}`: the section holds a format, not a template.
    private static func isTimeFormat(_ tag: TemplateTag) -> Bool {
        tag.kind == .section && !tag.hasFunctions && tag.name.prefix { $0 != "." } == TemplateName.now.rawValue
    }

    private mutating func addTime(_ tag: TemplateTag, _ content: ArraySlice<TemplateItem>) throws(TemplateError) {
        guard let name = NowName(tag.name.split(separator: ".").dropFirst()), name.format == nil else {
            throw self.error("a section of now is {{#now}} or {{#now.plus-1d}} with a date format in it", at: tag)
        }
        guard case .text(let range)? = content.first, case .tag(let close)? = content.last, close.kind == .close,
            close.name == tag.name
        else {
            throw self.error(
                "`\(tag.name)` as a section holds a date format such as %d.%m.%Y and nothing else, then "
                    + "{{/\(tag.name)}}",
                at: tag
            )
        }
        let pattern = String(decoding: self.text[range], as: UTF8.self)
        if let unknown = TimeFormat.unknownDirectives(in: pattern).first {
            let known = TimeFormat.directives.map { "%\($0)" }.joined(separator: " ")
            throw self.error("`\(unknown)` means nothing in a date format; there are \(known)", at: tag)
        }
        self.cutBeforeTag()
        self.part += self.pieces.add(.time(offset: name.offset, .pattern(pattern)))
        self.isAtLineStart = false
        self.note(tag)
    }

    private mutating func note(_ tag: TemplateTag) {
        let name = tag.value
        guard !name.isEmpty, !name.hasPrefix(".") else { return }
        if self.sections.last?.mayHaveMembers == true, TemplateName(rawValue: String(name.prefix { $0 != "." })) == nil
        {
            return
        }
        if self.knownNames.insert(name).inserted { self.names.append(name) }
    }

    private func error(_ message: String, at tag: TemplateTag) -> TemplateError {
        TemplateError(message, in: self.text, at: tag.start)
    }

    // MARK: Texts

    /// Line breaks at either end, and white space around them, stay: the library has to see whether a tag has its line
    /// to itself.
    private mutating func addText(_ range: Range<Int>) {
        var rest = self.text[range]
        if let lineEnd = rest.firstIndex(of: ASCII.lineFeed), Self.isBlank(rest[..<lineEnd]) {
            self.addLineEnd(rest[...lineEnd])
            rest = rest[(lineEnd + 1)...]
        }
        if let lineEnd = rest.lastIndex(of: ASCII.lineFeed) {
            let hasReturn = lineEnd > rest.startIndex && self.text[lineEnd - 1] == ASCII.carriageReturn
            let end = hasReturn ? lineEnd - 1 : lineEnd
            self.addPlain(rest[..<end])
            self.addLineEnd(rest[end...lineEnd])
            rest = rest[(lineEnd + 1)...]
        }
        if Self.isBlank(rest) {
            self.part += String(decoding: rest, as: UTF8.self)
        } else {
            self.addPlain(rest)
        }
    }

    private mutating func addLineEnd(_ bytes: ArraySlice<UInt8>) {
        self.part += String(decoding: bytes, as: UTF8.self)
        self.isAtLineStart = true
        if self.sections.isEmpty, self.part.utf8.count >= Self.partLength { self.cut() }
    }

    private mutating func addPlain(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let limit = self.sections.isEmpty ? Self.plainLimits.outside : Self.plainLimits.inside
        let isPlain =
            bytes.count <= limit && bytes.last != ASCII.openBrace
            && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F || $0 == ASCII.lineFeed || $0 == ASCII.tab }
            && !zip(bytes, bytes.dropFirst()).contains { $0 == ASCII.openBrace && $1 == ASCII.openBrace }
        self.part += isPlain ? text : self.pieces.add(.text(text))
        self.isAtLineStart = false
    }

    private static func isBlank(_ bytes: ArraySlice<UInt8>) -> Bool {
        let bytes = bytes.last == ASCII.carriageReturn ? bytes.dropLast() : bytes
        return bytes.allSatisfy { $0 == ASCII.space || $0 == ASCII.tab }
    }

    // MARK: Parts

    private mutating func cutBeforeTag() {
        guard self.sections.isEmpty, !self.isAtLineStart, self.part.utf8.count >= Self.partLength else { return }
        self.part += TemplatePieces.emptyTag
        self.cut()
        self.part = TemplatePieces.emptyTag
    }

    private mutating func cut() {
        self.parts.append(self.part)
        self.part = ""
    }
}
