import TapedeckCore

/// The parameters behind the question mark of a URL.
struct Query: Sendable {
    private var values: [String: String] = [:]

    /// - Throws: ``Problem`` for a parameter that is not in `names`, that comes twice, or that is no text.
    init(_ text: String, allowing names: [String]) throws {
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // A form has a plus sign for a space, and so do the browser's own functions for URLs.
            let decoded = pair.map { PercentText.decoded($0.map { $0 == "+" ? " " : String($0) }.joined()) }
            guard let name = decoded.first ?? nil, let value = decoded.count == 2 ? decoded[1] : "" else {
                throw Problem.badRequest("the query holds a percent sign that begins no UTF-8 character")
            }
            guard names.contains(name) else { throw Self.unknown(name, names) }
            guard self.values.updateValue(value, forKey: name) == nil else {
                throw Problem.badRequest("the parameter `\(name)` is there twice")
            }
        }
    }

    private static func unknown(_ name: String, _ names: [String]) -> Problem {
        let near = Spelling.nearest(to: name, among: names).map { "; did you mean `\($0)`?" } ?? ""
        let known = names.isEmpty ? "there is none" : "there is " + names.map { "`\($0)`" }.joined(separator: ", ")
        return .badRequest("there is no parameter `\(name)`\(near.isEmpty ? "; \(known)" : near)")
    }

    func text(_ name: String) -> String? { self.values[name] }

    /// A whole number.
    ///
    /// - Throws: ``Problem`` when it is none, or out of range.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = self.values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Problem.badRequest(
                "`\(name)` must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// `true` or `false`; false unless given.
    func flag(_ name: String) throws -> Bool {
        switch self.values[name] {
        case nil, "false": return false
        case "true": return true
        default: throw Problem.badRequest("`\(name)` must be true or false")
        }
    }
}

/// Percent-encoding (RFC 3986 section 2.1).
enum PercentText {
    /// The text with percent-encoding undone; `nil` when that is not UTF-8, or a percent sign has no digits.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == ASCII.percent else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(ASCII.hexValue), let low = rest.popFirst().flatMap(ASCII.hexValue)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text as one part of a path.
    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
