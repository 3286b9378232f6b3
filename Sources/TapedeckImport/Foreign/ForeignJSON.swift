import TapedeckJSON

/// Writes a node as the JSON that another tool sends on replay.
struct ForeignJSON {
    /// The writers of JSON that tools use.
    enum Style {
        /// `JSON.stringify`: no spaces, numbers as JavaScript writes them, integer names first.
        case javaScript
        /// `json.dumps`: spaces after `,` and `:`, everything beyond ASCII escaped; scalars are those of YAML 1.1.
        case python
        /// `Utf8JsonWriter` with relaxed escaping, and Jackson when it writes bytes: no spaces, numbers unchanged,
        /// characters beyond U+FFFF escaped.
        case dotNet
        /// Jackson's pretty printer where it writes text: a line for each member, spaces around colons and within brackets.
        case javaPretty
    }

    private let style: Style
    private var output = ""
    /// The number of open maps.
    private var depth = 0

    /// True if a text is JSON.
    static func isJSON(_ bytes: [UInt8]) -> Bool {
        (try? JSONValue(parsing: bytes)) != nil
    }

    /// The JSON text of a node.
    static func text(_ node: ForeignNode, _ style: Style) -> [UInt8] {
        var writer = ForeignJSON(style: style)
        writer.write(node)
        return Array(writer.output.utf8)
    }

    private init(style: Style) {
        self.style = style
    }

    private mutating func write(_ node: ForeignNode) {
        switch node.content {
        case .scalar(let text, let isPlain):
            self.output += isPlain && node.tag == nil ? self.plain(text) : self.quoted(text)
        case .list(let items):
            self.output += self.isPretty ? "[ " : "["
            for (index, item) in items.enumerated() {
                if index > 0 { self.output += self.comma }
                self.write(item)
            }
            self.output += self.isPretty && !items.isEmpty ? " ]" : "]"
        case .map:
            let members = self.members(node)
            self.output += self.isPretty && members.isEmpty ? "{ " : "{"
            self.depth += 1
            for (index, pair) in members.enumerated() {
                if index > 0 { self.output += self.isPretty ? "," : self.comma }
                self.breakLine()
                self.output += self.quoted(pair.key.text ?? "null") + self.colon
                self.write(pair.value)
            }
            self.depth -= 1
            if !members.isEmpty { self.breakLine() }
            self.output += "}"
        }
    }

    private var isPretty: Bool { self.style == .javaPretty }

    private var colon: String {
        switch self.style {
        case .python: ": "
        case .javaPretty: " : "
        case .javaScript, .dotNet: ":"
        }
    }

    private mutating func breakLine() {
        if self.isPretty { self.output += "\n" + String(repeating: "  ", count: self.depth) }
    }

    private var comma: String { self.style == .python || self.isPretty ? ", " : "," }

    /// The members in the order in which the tool has them: of one name the last value, at the first place.
    private func members(_ node: ForeignNode) -> [ForeignPair] {
        guard self.style != .dotNet else { return node.pairs }
        var places: [String: Int] = [:]
        var members: [ForeignPair] = []
        for pair in node.pairs {
            let name = pair.key.text ?? "null"
            if let place = places[name] {
                members[place] = pair
            } else {
                places[name] = members.count
                members.append(pair)
            }
        }
        guard self.style == .javaScript else { return members }
        let numbered = members.filter { Self.index($0.key.text) != nil }
        guard !numbered.isEmpty else { return members }
        return numbered.sorted { (Self.index($0.key.text) ?? 0) < (Self.index($1.key.text) ?? 0) }
            + members.filter { Self.index($0.key.text) == nil }
    }

    /// The number of a name that JavaScript takes for one of an array.
    private static func index(_ name: String?) -> UInt32? {
        guard let name, let number = UInt32(name), String(number) == name, number < .max else { return nil }
        return number
    }

    // MARK: Scalars

    private func plain(_ text: String) -> String {
        switch text {
        case "null", "true", "false": return text
        case "~", "", "Null", "NULL": return "null"
        default: break
        }
        if self.style == .python {
            switch text.lowercased() {
            case "true", "yes", "on": return "true"
            case "false", "no", "off": return "false"
            default: break
            }
        }
        guard let number = Double(text), number.isFinite, Self.isNumber(text) else { return self.quoted(text) }
        switch self.style {
        case .dotNet, .javaPretty:
            return text
        case .python:
            let whole = text.utf8.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
            return whole ? text.replacing("_", with: "").replacing("+", with: "") : "\(number)"
        case .javaScript:
            return Self.javaScript(number)
        }
    }

    private static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first(where: { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }) else {
            return false
        }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) && !text.contains("x") && !text.contains("p")
            && !text.contains("X") && !text.contains("P")
    }

    /// As ECMAScript's Number::toString writes it.
    private static func javaScript(_ number: Double) -> String {
        guard number != 0 else { return "0" }
        let text = "\(abs(number))"
        let parts = text.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        var digits = String(mantissa[0]) + (mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : "")
        var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.hasPrefix("0"), digits.count > 1 {
            digits.removeFirst()
            point -= 1
        }
        while digits.hasSuffix("0"), digits.count > 1 { digits.removeLast() }
        let sign = number < 0 ? "-" : ""
        if digits.count <= point, point <= 21 {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        if 0 < point, point <= 21 {
            return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        }
        if -6 < point, point <= 0 {
            return sign + "0." + String(repeating: "0", count: -point) + digits
        }
        let exponent = point - 1
        let rest = digits.dropFirst()
        return sign + digits.prefix(1) + (rest.isEmpty ? "" : "." + rest) + "e" + (exponent < 0 ? "-" : "+")
            + "\(exponent.magnitude)"
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{08}": result += "\\b"
            case "\u{0C}": result += "\\f"
            default:
                if scalar.value < 0x20 || (scalar.value > 0x7E && self.style == .python)
                    || (scalar.value > 0xFFFF && self.style == .dotNet)
                {
                    for unit in String(scalar).utf16 { result += self.escape(unit) }
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    private func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: self.style == .dotNet)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
