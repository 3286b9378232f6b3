import TapedeckYAML

/// Prints JSON in the form of a cassette as a cassette file, in the deck's style: blocks for readable texts, one line
/// for small values, texts of several lines unchanged.
struct CassettePrinter {
    private var yaml = YAMLWriter()

    /// The file of a cassette.
    static func text(of cassette: Tapedeck.JSON) -> String {
        var printer = CassettePrinter()
        printer.pairs(cassette.members ?? [], indent: 0, as: .keys)
        return String(decoding: printer.yaml.bytes, as: UTF8.self)
    }

    /// The style of mappings within a mapping.
    private enum Style {
        /// As ``blocks`` says by their key.
        case keys
        case onOneLine
        /// A block, in which all is on one line.
        case block
    }

    /// The keys whose mappings are blocks, with the style of their contents.
    private static let blocks: [String: Style] = [
        "request": .keys, "body": .keys, "graphql": .keys, "when": .keys, "then": .keys, "otherwise": .keys,
        "not": .keys,
        "query": .onOneLine, "headers": .onOneLine, "cookies": .onOneLine, "form": .onOneLine, "multipart": .onOneLine,
        "jsonPath": .onOneLine, "fuzz": .onOneLine, "ignore": .onOneLine, "time": .onOneLine, "profiles": .block,
    ]

    // MARK: Blocks

    private mutating func pairs(_ members: [Tapedeck.JSON.Member], indent: Int, as style: Style) {
        for member in members {
            self.yaml.indent(indent)
            self.yaml.scalar(member.name)
            self.yaml.raw(":")
            self.value(member.value, indent: indent, inner: self.style(of: member, in: style, indent: indent))
        }
    }

    /// `nil` for a value on the line of its key.
    private func style(of member: Tapedeck.JSON.Member, in style: Style, indent: Int) -> Style? {
        switch style {
        case .onOneLine: nil
        case .block: .onOneLine
        // The state that a session begins with is a part of the file, every other one a condition or a change.
        case .keys: member.name == "state" && indent == 0 ? .onOneLine : Self.blocks[member.name]
        }
    }

    /// Prints the value after the colon of a key in column `indent`.
    private mutating func value(_ value: Tapedeck.JSON, indent: Int, inner: Style?) {
        if let members = value.members, !members.isEmpty, let inner {
            self.yaml.newline()
            self.pairs(members, indent: indent + 2, as: inner)
        } else if let items = value.array, items.contains(where: { $0.members != nil }) {
            self.yaml.newline()
            for item in items { self.item(item, indent: indent + 2) }
        } else if let text = value.string, text.utf8.contains(0x0A) {
            self.yaml.raw(" ")
            let bytes = Array(text.utf8)
            bytes.withUnsafeBytes { self.yaml.literal($0, indent: indent + 2) }
        } else {
            self.yaml.raw(" ")
            self.line(value)
            self.yaml.newline()
        }
    }

    private mutating func item(_ value: Tapedeck.JSON, indent: Int) {
        if let members = value.members, !members.isEmpty {
            let start = self.yaml.bytes.count
            self.pairs(members, indent: indent + 2, as: .keys)
            self.yaml.dash(at: start + indent)
        } else {
            self.yaml.indent(indent)
            self.yaml.raw("- ")
            self.line(value)
            self.yaml.newline()
        }
    }

    // MARK: One line

    private mutating func line(_ value: Tapedeck.JSON) {
        if let items = value.array {
            self.yaml.raw("[")
            for (index, item) in items.enumerated() {
                if index > 0 { self.yaml.raw(", ") }
                self.line(item)
            }
            self.yaml.raw("]")
        } else if let members = value.members {
            self.yaml.raw(members.isEmpty ? "{" : "{ ")
            for (index, member) in members.enumerated() {
                if index > 0 { self.yaml.raw(", ") }
                self.yaml.scalar(member.name)
                self.yaml.raw(": ")
                self.line(member.value)
            }
            self.yaml.raw(members.isEmpty ? "}" : " }")
        } else if let text = value.string {
            self.yaml.scalar(text)
        } else {
            self.yaml.raw(value.text)
        }
    }
}
