import Mustache
import TapedeckCore

/// Names with values, such as a query or the header fields: written it is the first value, as a section all of them.
///
/// A name may have dots in it (`query.filter.name`), which the library takes for parts of parts.
struct NamedValues: MustacheCustomRenderable, MustacheParent, MustacheSequence, MustacheTransformable {
    private let entries: Entries
    /// The name so far; `nil` for the whole.
    private let name: String?
    private let values: [String]

    init(_ entries: [(name: String, value: String)], ignoresCase: Bool = false) {
        self.entries = Entries(entries, ignoresCase: ignoresCase)
        self.name = nil
        self.values = []
    }

    private init?(_ entries: Entries, name: String) {
        let values = entries.values(of: name)
        guard !values.isEmpty || entries.hasName(beginning: name) else { return nil }
        self.entries = entries
        self.name = name
        self.values = values
    }

    func child(named part: String) -> Any? {
        Self(self.entries, name: self.name.map { "\($0).\(part)" } ?? part)
    }

    var renderText: String { self.values.first ?? "" }
    var isNull: Bool { self.values.isEmpty }

    func makeIterator() -> some IteratorProtocol<TextValue> {
        self.values.lazy.map(TextValue.init).makeIterator()
    }

    /// `count`, `first`, `last`, `reversed` and `empty` are about the list, all else about the first value.
    func transform(_ name: String) -> Any? {
        switch name {
        case "count": self.values.count
        case "empty": self.values.isEmpty
        case "first": self.values.first.map(TextValue.init)
        case "last": self.values.last.map(TextValue.init)
        case "reversed": Array(self.values.reversed().map(TextValue.init))
        default: self.values.first.flatMap { TextValue($0).transform(name) }
        }
    }

    /// All of them by name. Within a section a name is looked up for every item, so that must not go through them all.
    private final class Entries {
        private let ignoresCase: Bool
        private let entries: [(name: String, value: String)]
        private lazy var byName = Dictionary(grouping: self.entries) { self.key($0.name) }
            .mapValues { $0.map(\.value) }
        /// Whether some name begins with the key and a dot, for keys that were asked for.
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
