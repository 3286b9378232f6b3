/// A JSON value (RFC 8259). Members keep their order and numbers their spelling.
///
/// ```swift
/// let user: JSON = ["name": "Ada", "age": 36, "tags": ["a", "b"]]
/// user["tags"]?[0]?.string  // "a"
/// ```
///
/// Two values are equal when they mean the same: the order of members does not count, numbers are compared by value
/// (1 is 1.0 is 1e0), and of members of one name the last one counts.
public struct JSON: Sendable {
    /// One member of an object.
    public struct Member: Sendable, Equatable {
        /// What it is called.
        public var name: String
        /// What it holds.
        public var value: JSON

        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    enum Storage: Sendable {
        case null
        case bool(Bool)
        /// As it is spelt; always a number by the grammar of RFC 8259.
        case number(String)
        case string(String)
        case array([JSON])
        case object([Member])
    }

    var storage: Storage

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// Null.
    public static let null = JSON(.null)

    /// True or false.
    public init(_ value: Bool) {
        self.init(.bool(value))
    }

    /// A whole number.
    public init(_ value: some BinaryInteger) {
        self.init(.number(String(value)))
    }

    /// A number. Infinity and what is no number, which JSON has not, are null.
    public init(_ value: Double) {
        self.init(value.isFinite ? .number(value.description) : .null)
    }

    /// A string.
    public init(_ value: String) {
        self.init(.string(value))
    }

    /// An array.
    public init(_ items: [JSON]) {
        self.init(.array(items))
    }

    /// An object, whose members keep their order.
    public init(members: [Member]) {
        self.init(.object(members))
    }

    /// An object, whose members are sorted by name, as a dictionary has no order.
    public init(_ members: [String: JSON]) {
        self.init(members: members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    init(_ members: [Member]) {
        self.init(members: members)
    }
}

// MARK: Reading

extension JSON {
    /// Whether it is null.
    public var isNull: Bool {
        if case .null = self.storage { true } else { false }
    }

    /// The text of a string; `nil` for anything else.
    public var string: String? {
        if case .string(let text) = self.storage { text } else { nil }
    }

    /// `nil` for anything but true and false.
    public var bool: Bool? {
        if case .bool(let value) = self.storage { value } else { nil }
    }

    /// A number that is whole, as 1.0 and 1e2 are too, and in range; `nil` for anything else.
    public var int: Int? {
        guard case .number(let spelling) = self.storage else { return nil }
        return Int(spelling) ?? JSONDecimal(spelling).int
    }

    /// The nearest `Double` of a number; infinity for one that is too large. `nil` for anything else.
    public var double: Double? {
        if case .number(let spelling) = self.storage { Double(spelling) } else { nil }
    }

    /// A number as it is spelt, such as `1.50`; `nil` for anything else.
    public var number: String? {
        if case .number(let spelling) = self.storage { spelling } else { nil }
    }

    /// The items of an array; `nil` for anything else.
    public var array: [JSON]? {
        if case .array(let items) = self.storage { items } else { nil }
    }

    /// The members of an object in their order; `nil` for anything else.
    public var members: [Member]? {
        if case .object(let members) = self.storage { members } else { nil }
    }

    /// The members of an object by their names; of several of one name the last. `nil` for anything else.
    public var object: [String: JSON]? {
        self.members.map { Dictionary($0.map { ($0.name, $0.value) }) { $1 } }
    }

    /// A member of an object, the last one of that name; `nil` where there is none.
    ///
    /// Setting it replaces that member, or adds one at the end; `nil` removes all of that name, and ``null`` is a value. A
    /// null becomes an object first; anything else that is none stays as it is.
    public subscript(_ name: String) -> JSON? {
        get {
            self.members?.last { $0.name == name }?.value
        }
        set {
            guard var members = self.isNull ? [] : self.members else { return }
            if let newValue {
                if let place = members.lastIndex(where: { $0.name == name }) {
                    members[place].value = newValue
                } else {
                    members.append(Member(name, newValue))
                }
            } else {
                members.removeAll { $0.name == name }
            }
            self.storage = .object(members)
        }
    }

    /// An item of an array; `nil` where there is none.
    public subscript(_ index: Int) -> JSON? {
        guard let items = self.array, items.indices.contains(index) else { return nil }
        return items[index]
    }
}

// MARK: Comparing

extension JSON: Equatable {
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left.storage, right.storage) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left), .number(let right)): return left == right || JSONDecimal(left) == JSONDecimal(right)
        case (.string(let left), .string(let right)): return left == right
        case (.array(let left), .array(let right)): return left == right
        case (.object(let one), .object(let other)):
            let isInOrder = one.count == other.count && zip(one, other).allSatisfy { $0.name == $1.name }
            if isInOrder, Set(one.map(\.name)).count == one.count {
                return zip(one, other).allSatisfy { $0.value == $1.value }
            }
            return left.object == right.object
        default: return false
        }
    }
}
