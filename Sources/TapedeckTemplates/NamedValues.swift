import Mustache
import TapedeckCore

/// Names with values, such as a query or the header fields: written it is the first value, as a section all of them.
///
/// A name may have dots in it (`query.filter.name`), which the library takes for parts of parts.
struct NamedValues: MustacheCustomRenderable, MustacheParent, MustacheSequence, MustacheTransformable {
    private let entries: [(name: String, value: String)]
    private let ignoresCase: Bool
    /// The name so far; `nil` for the whole.
    private let name: String?
    private let values: [String]

    init(_ entries: [(name: String, value: String)], ignoresCase: Bool = false) {
        self.entries = entries
        self.ignoresCase = ignoresCase
        self.name = nil
        self.values = []
    }

    private init?(_ whole: Self, name: String) {
        self.entries = whole.entries
        self.ignoresCase = whole.ignoresCase
        self.name = name
        self.values = whole.entries.filter { whole.isEqual($0.name[...], name) }.map(\.value)
        let beginning = "\(name)."
        guard
            !self.values.isEmpty
                || whole.entries.contains(where: { entry in
                    let end = entry.name.utf8.index(
                        entry.name.utf8.startIndex,
                        offsetBy: beginning.utf8.count,
                        limitedBy: entry.name.utf8.endIndex
                    )
                    return end.map { whole.isEqual(entry.name[..<$0], beginning) } ?? false
                })
        else { return nil }
    }

    private func isEqual(_ left: Substring, _ right: String) -> Bool {
        self.ignoresCase ? ASCII.equalsIgnoringCase(String(left), right) : left == right
    }

    func child(named part: String) -> Any? {
        Self(self, name: self.name.map { "\($0).\(part)" } ?? part)
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
}
