import TapedeckCore

/// Names with values, such as a query or the header fields. A tag renders the first value, a section goes through all.
///
/// A name may contain dots, as in `query.filter.name`, where each part is looked up in the part before.
struct NamedValues {
    private let entries: Entries
    /// The name so far; `nil` for the whole.
    private let name: String?
    /// The values of the name; empty for the whole, and for a name that only begins others.
    private(set) var all: [String]

    var first: String? { self.all.first }

    init(_ entries: [(name: String, value: String)], ignoresCase: Bool = false) {
        self.entries = Entries(entries, ignoresCase: ignoresCase)
        self.name = nil
        self.all = []
    }

    private init?(_ entries: Entries, name: String) {
        let values = entries.values(of: name)
        guard !values.isEmpty || entries.hasName(beginning: name) else { return nil }
        self.entries = entries
        self.name = name
        self.all = values
    }

    /// Returns the values of the name so far, a dot, and `part`.
    func part(_ part: String) -> Self? {
        Self(self.entries, name: self.name.map { "\($0).\(part)" } ?? part)
    }

    /// Returns these with other values.
    func with(_ values: [String]) -> Self {
        var copy = self
        copy.all = values
        return copy
    }

    /// The entries by name. A section looks names up for every item, so a look-up must not scan them all.
    private final class Entries {
        private let ignoresCase: Bool
        private let entries: [(name: String, value: String)]
        private lazy var byName = Dictionary(grouping: self.entries) { self.key($0.name) }
            .mapValues { $0.map(\.value) }
        /// True if some name begins with the key and a dot, for the keys looked up so far.
        private var beginnings: [String: Bool] = [:]

        init(_ entries: [(name: String, value: String)], ignoresCase: Bool) {
            self.entries = entries
            self.ignoresCase = ignoresCase
        }

        private func key(_ name: String) -> String { self.ignoresCase ? ASCII.lowercased(name) : name }

        func values(of name: String) -> [String] { self.byName[self.key(name)] ?? [] }

        func hasName(beginning name: String) -> Bool {
            let key = self.key(name)
            if let known = self.beginnings[key] { return known }
            let found = self.byName.keys.contains { $0.utf8.starts(with: "\(key).".utf8) }
            self.beginnings[key] = found
            return found
        }
    }
}
