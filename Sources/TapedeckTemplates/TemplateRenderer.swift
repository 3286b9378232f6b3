import TapedeckCore

/// Renders the nodes of a template once.
struct TemplateRenderer {
    private(set) var text = ""

    private let now: Instant
    private let escapesJSON: Bool
    /// The root, and the items of the open sections. Never empty.
    private var items: [TemplateValue]
    /// The innermost loop, unless a section that is not a list is inside it.
    private var loop: TemplateLoop?

    /// - Parameter root: Has the names that are looked up outside of sections.
    /// - Parameter now: The time that time nodes show.
    /// - Parameter escapesJSON: True if values are escaped as the inside of JSON strings, and a null is `null`.
    init(root: TemplateValue, now: Instant, escapesJSON: Bool) {
        self.items = [root]
        self.now = now
        self.escapesJSON = escapesJSON
    }

    /// Appends what the nodes render to ``text``.
    mutating func render(_ nodes: [TemplateNode]) {
        for node in nodes {
            switch node {
            case .text(let text): self.text += text
            case .value(let expression, let isRaw):
                guard let value = self.value(of: expression) else { continue }
                if self.escapesJSON, case .json(.null) = value {
                    self.text += "null"
                } else {
                    self.write(value.text, isRaw: isRaw)
                }
            case .time(let offset, let format):
                self.write(self.now.advanced(byMilliseconds: offset).text(format), isRaw: false)
            case .section(let expression, let isInverted, let content):
                let value = self.value(of: expression)
                guard let value, value.isPresent else {
                    if isInverted { self.render(content) }
                    continue
                }
                if !isInverted { self.render(content, for: value) }
            }
        }
    }

    /// Renders a section: for each item of a list, else once.
    private mutating func render(_ content: [TemplateNode], for value: TemplateValue) {
        if case .flag = value { return self.render(content) }
        let outerLoop = self.loop
        if let items = value.items {
            for (index, item) in items.enumerated() {
                self.loop = TemplateLoop(index: index, isLast: index == items.count - 1)
                self.render(content, item: item)
            }
        } else {
            self.loop = nil
            self.render(content, item: value)
        }
        self.loop = outerLoop
    }

    private mutating func render(_ content: [TemplateNode], item: TemplateValue) {
        self.items.append(item)
        self.render(content)
        self.items.removeLast()
    }

    /// Looks a name up from the innermost section outwards. Once its first part is found, the others are looked up
    /// there and nowhere else.
    private func value(of expression: TemplateExpression) -> TemplateValue? {
        var value: TemplateValue?
        switch expression.start {
        case .item: value = self.items.last
        case .anywhere(let name):
            var outer = self.items.count
            while value == nil, outer > 0 {
                outer -= 1
                value = self.items[outer].part(name)
            }
        case .loop: value = self.loop.map(TemplateValue.loop)
        }
        for part in expression.parts { value = value?.part(part) }
        for function in expression.functions {
            value = function == .missing ? .flag(!(value?.exists ?? false)) : value?.applying(function)
        }
        return value
    }

    private mutating func write(_ text: String, isRaw: Bool) {
        self.text += isRaw || !self.escapesJSON ? text : Self.escaped(text)
    }

    /// Escapes a text as the inside of a JSON string (RFC 8259 section 7). Bytes that are not UTF-8 become U+FFFD, as
    /// JSON has no such bytes.
    private static func escaped(_ text: String) -> String {
        let needsWork = text.utf8.contains { byte in
            // F4 leads the escapes of bytes that are not UTF-8 (ByteText), and little else.
            byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash || byte == 0xF4
        }
        guard needsWork else { return text }
        var quoted: [UInt8] = []
        JSONValue.appendQuoted(String(decoding: ByteText.bytes(of: text), as: UTF8.self), to: &quoted)
        return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
    }
}
