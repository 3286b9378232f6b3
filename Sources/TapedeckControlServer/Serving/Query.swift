import TapedeckCore

/// The parameters behind the question mark of a URL.
struct Query: Sendable {
    private var values: [String: String] = [:]
    /// The values of repeatable parameters.
    private var lists: [String: [String]] = [:]

    /// - Parameter repeated: those of `names` that may be repeated.
    /// - Throws: ``Problem`` for a parameter that is not in `names`, is repeated, or is not text.
    init(_ text: String, allowing names: [String], repeated: Set<String> = []) throws {
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // A form has a plus sign for a space, and so do the browser's own functions for URLs.
            let decoded = pair.map { PercentEncoding.text($0.map { $0 == "+" ? " " : String($0) }.joined()) }
            guard let name = decoded.first ?? nil, let value = decoded.count == 2 ? decoded[1] : "" else {
                throw Problem.badRequest("the query holds a percent sign that begins no UTF-8 character")
            }
            guard names.contains(name) else { throw Self.unknown(name, names) }
            guard !repeated.contains(name) else {
                self.lists[name, default: []].append(value)
                continue
            }
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

    /// All values of a parameter that may come several times, in their order.
    func texts(_ name: String) -> [String] { self.lists[name] ?? [] }

    /// Returns a whole number.
    ///
    /// - Throws: ``Problem`` if it is not a number, or out of range.
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
