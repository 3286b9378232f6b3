import TapedeckJSON

extension Tapedeck {
    /// A JSON value (RFC 8259). Members keep their order and numbers their spelling.
    ///
    /// ```swift
    /// let user: Tapedeck.JSON = ["name": "Ada", "age": 36, "tags": ["a", "b"]]
    /// user["tags"]?[0]?.string  // "a"
    /// ```
    ///
    /// Two values are equal when they mean the same: the order of members does not count, numbers are compared by value
    /// (1 is 1.0 is 1e0), and of members of one name the last one counts.
    public struct JSON: Sendable {
        /// One member of an object.
        public struct Member: Sendable, Equatable {
            /// The name.
            public var name: String
            /// The value.
            public var value: Tapedeck.JSON

            public init(_ name: String, _ value: Tapedeck.JSON) {
                self.name = name
                self.value = value
            }
        }

        /// The value in the deck's own representation, whose parser and printer both sides use.
        var value: JSONValue

        init(value: JSONValue) {
            self.value = value
        }

        /// Null.
        public static let null = Tapedeck.JSON(value: .null)

        /// True or false.
        public init(_ value: Bool) {
            self.init(value: .bool(value))
        }

        /// A whole number.
        public init(_ value: some BinaryInteger) {
            self.init(value: .number(JSONNumber(checked: String(value))))
        }

        /// A number. Infinity and NaN, which JSON does not have, become null.
        public init(_ value: Double) {
            self.init(value: value.isFinite ? .number(JSONNumber(checked: value.description)) : .null)
        }

        /// A string.
        public init(_ value: String) {
            self.init(value: .string(value))
        }

        /// An array.
        public init(_ items: [Tapedeck.JSON]) {
            self.init(value: .array(items.map(\.value)))
        }

        /// An object, whose members keep their order.
        public init(members: [Member]) {
            self.init(value: .object(members.map { JSONMember(name: $0.name, value: $0.value.value) }))
        }

        /// An object, whose members are sorted by name, as a dictionary has no order.
        public init(_ members: [String: Tapedeck.JSON]) {
            self.init(members: members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
        }

        init(_ members: [Member]) {
            self.init(members: members)
        }
    }
}

// MARK: Reading

extension Tapedeck.JSON {
    /// True if the value is null.
    public var isNull: Bool {
        if case .null = self.value { true } else { false }
    }

    /// The text of a string; `nil` for anything else.
    public var string: String? {
        self.value.stringValue
    }

    /// `nil` for anything but true and false.
    public var bool: Bool? {
        if case .bool(let value) = self.value { value } else { nil }
    }

    /// A number that is whole, as 1.0 and 1e2 are too, and in range; `nil` for anything else.
    public var int: Int? {
        if case .number(let number) = self.value { number.intValue } else { nil }
    }

    /// The nearest `Double` of a number; infinity for one that is too large. `nil` for anything else.
    public var double: Double? {
        if case .number(let number) = self.value { number.doubleValue } else { nil }
    }

    /// A number as it is spelt, such as `1.50`; `nil` for anything else.
    public var number: String? {
        if case .number(let number) = self.value { number.spelling } else { nil }
    }

    /// The items of an array; `nil` for anything else.
    public var array: [Tapedeck.JSON]? {
        if case .array(let items) = self.value { items.map(Tapedeck.JSON.init(value:)) } else { nil }
    }

    /// The members of an object in their order; `nil` for anything else.
    public var members: [Member]? {
        guard case .object(let members) = self.value else { return nil }
        return members.map { Member($0.name, Tapedeck.JSON(value: $0.value)) }
    }

    /// The members of an object by their names; of several of one name the last. `nil` for anything else.
    public var object: [String: Tapedeck.JSON]? {
        self.members.map { Dictionary($0.map { ($0.name, $0.value) }) { $1 } }
    }

    /// The last member of an object with this name, or `nil`.
    ///
    /// Setting it replaces that member, or adds one at the end; `nil` removes all of that name, and ``null`` is a
    /// value. A null becomes an object first; any other value than an object stays unchanged.
    public subscript(_ name: String) -> Tapedeck.JSON? {
        get {
            self.value[name].map(Tapedeck.JSON.init(value:))
        }
        set {
            var members: [JSONMember]
            switch self.value {
            case .object(let old): members = old
            case .null: members = []
            case .bool, .number, .string, .array: return
            }
            if let newValue {
                if let place = members.lastIndex(where: { $0.name.isSameText(as: name) }) {
                    members[place].value = newValue.value
                } else {
                    members.append(JSONMember(name: name, value: newValue.value))
                }
            } else {
                members.removeAll { $0.name.isSameText(as: name) }
            }
            self.value = .object(members)
        }
    }

    /// The item of an array at this index, or `nil`.
    public subscript(_ index: Int) -> Tapedeck.JSON? {
        guard case .array(let items) = self.value, items.indices.contains(index) else { return nil }
        return Tapedeck.JSON(value: items[index])
    }
}

// MARK: Comparing

extension Tapedeck.JSON: Equatable {
    public static func == (left: Tapedeck.JSON, right: Tapedeck.JSON) -> Bool {
        left.value == right.value
    }
}

extension Tapedeck.JSON: CustomStringConvertible {
    /// The JSON text without white space between its parts. Strings have only the escapes that RFC 8259 section 7
    /// requires.
    public var text: String { String(decoding: self.value.compactText, as: UTF8.self) }

    /// The JSON text with a line for each member and item, two spaces a level.
    public var prettyText: String { String(decoding: self.value.prettyText, as: UTF8.self) }

    /// As ``text``.
    public var description: String { self.text }
}
