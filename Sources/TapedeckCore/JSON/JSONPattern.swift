/// An expected JSON value, ready to be compared: its placeholders are found.
struct JSONPattern: Sendable {
    enum Kind: Sendable {
        /// No string, array or object.
        case scalar
        case string(String)
        case placeholder(JSONPlaceholder)
        case text(JSONTextPattern)
        /// A string that holds JSON.
        indirect case document(JSONPattern)
        case array([JSONPattern])
        /// Each name once.
        case object([(name: String, value: JSONPattern)])
    }

    let kind: Kind
    /// As it was written.
    let source: JSONValue
    let hasPlaceholders: Bool
    /// True if a string holds JSON.
    let hasDocuments: Bool
    /// For an item of an array whose order does not count: the canonical form of every value that matches, if there
    /// is just one.
    private(set) var key: [UInt8]?

    init(_ value: JSONValue, rules: Rules) {
        self.source = value
        switch value {
        case .null, .bool, .number:
            self.kind = .scalar
            (self.hasPlaceholders, self.hasDocuments) = (false, false)
        case .string(let text):
            if let document = JSONValue.document(in: text) {
                let pattern = JSONPattern(document, rules: rules)
                self.kind = .document(pattern)
                (self.hasPlaceholders, self.hasDocuments) = (pattern.hasPlaceholders, true)
                return
            }
            self.hasDocuments = false
            let pattern = JSONTextPattern(text)
            self.hasPlaceholders = pattern.hasPlaceholders
            if let placeholder = pattern.whole {
                self.kind = .placeholder(placeholder)
            } else {
                self.kind = pattern.hasPlaceholders ? .text(pattern) : .string(text)
            }
        case .array(let items):
            let patterns = items.map { JSONPattern($0, rules: rules).asItem(rules) }
            self.hasPlaceholders = patterns.contains(where: \.hasPlaceholders)
            self.hasDocuments = patterns.contains(where: \.hasDocuments)
            self.kind = .array(patterns)
        case .object(let members):
            let patterns = JSONMembers(members).counting.map { ($0.name, JSONPattern($0.value, rules: rules)) }
            self.hasPlaceholders = patterns.contains(where: \.1.hasPlaceholders)
            self.hasDocuments = patterns.contains(where: \.1.hasDocuments)
            self.kind = .object(patterns)
        }
    }

    private func asItem(_ rules: Rules) -> JSONPattern {
        guard rules.itemsMove, !self.hasPlaceholders else { return self }
        switch self.kind {
        // Many lists and objects contain this one, so there is no single key.
        case .array where rules.isSubset, .object where rules.isSubset: return self
        default: break
        }
        var item = self
        item.key = rules.comparison.canonical(self.source)
        return item
    }
}

extension JSONPattern {
    /// The rules of comparison beyond the values.
    struct Rules: Sendable {
        var isSubset: Bool
        var ignoresArrayOrder: Bool

        /// True if an item of an array may be anywhere in it.
        var itemsMove: Bool { self.isSubset || self.ignoresArrayOrder }

        var comparison: JSONComparison { JSONComparison(ignoresArrayOrder: self.ignoresArrayOrder) }
    }

    func matches(_ value: JSONValue, _ rules: Rules) -> Bool {
        if !self.hasPlaceholders, !self.hasDocuments, !rules.itemsMove { return self.source == value }
        switch (self.kind, value) {
        case (.array(let items), .array(let values)):
            guard rules.isSubset || items.count == values.count else { return false }
            guard rules.itemsMove else {
                return zip(items, values).allSatisfy { $0.matches($1, rules) }
            }
            return JSONItemAssignment(items, values, rules, stopsEarly: true).isComplete
        case (.object(let members), .object(let values)):
            let found = JSONMembers(values)
            guard members.allSatisfy({ member in found[member.name].map { member.value.matches($0, rules) } ?? false })
            else { return false }
            return rules.isSubset || found.counting.count == members.count
        case (.document(let document), .string(let text)):
            return self.source == value || JSONValue.document(in: text).map { document.matches($0, rules) } ?? false
        case (.array, _), (.object, _), (.document, _): return false
        default: return self.matchesLeaf(value)
        }
    }

    /// For values other than arrays and objects. A placeholder also matches itself.
    private func matchesLeaf(_ value: JSONValue) -> Bool {
        if self.source == value { return true }
        switch (self.kind, value) {
        case (.placeholder(let placeholder), _): return placeholder.matches(value)
        case (.text(let pattern), .string(let text)): return pattern.matches(text)
        default: return false
        }
    }
}
