import TapedeckCore

/// The value of a JSON text.
func json(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8))
}

/// A value as JSON text.
func text(_ value: JSONValue) -> String {
    String(decoding: value.text(), as: UTF8.self)
}

/// The bookstore of RFC 9535, figure 1.
let bookstore = """
    { "store": {
        "book": [
          { "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95 },
          { "category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99 },
          { "category": "fiction", "author": "Herman Melville", "title": "Moby Dick",
            "isbn": "0-553-21311-3", "price": 8.99 },
          { "category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings",
            "isbn": "0-395-19395-8", "price": 22.99 }
        ],
        "bicycle": { "color": "red", "price": 399 }
    } }
    """

extension RandomJSON {
    /// A value with members of different names only, so that they may be put in any order.
    static func distinct(depth: Int, using generator: inout SeededRandom) throws -> JSONValue {
        try json(self.value(depth: depth, using: &generator).text(Spacing())).withDistinctNames
    }
}

extension JSONValue {
    /// Without all but the first of the members of one name, at every level.
    var withDistinctNames: JSONValue {
        switch self {
        case .array(let items): return .array(items.map(\.withDistinctNames))
        case .object(let members):
            var names: Set<[UInt8]> = []
            return .object(
                members.filter { names.insert(Array($0.name.utf8)).inserted }
                    .map { JSONMember(name: $0.name, value: $0.value.withDistinctNames) }
            )
        default: return self
        }
    }

    /// With members, and items if asked, in another order, at every level.
    func shuffled(items shufflesItems: Bool = false, using generator: inout SeededRandom) -> JSONValue {
        switch self {
        case .array(let items):
            let inner = items.map { $0.shuffled(items: shufflesItems, using: &generator) }
            return .array(shufflesItems ? inner.shuffled(using: &generator) : inner)
        case .object(let members):
            let inner = members.map { member in
                JSONMember(
                    name: member.name,
                    value: member.value.shuffled(items: shufflesItems, using: &generator)
                )
            }
            return .object(inner.shuffled(using: &generator))
        default: return self
        }
    }
}
