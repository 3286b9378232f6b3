import TapedeckCore

/// Decodes a JSON value.
struct ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    let members: MemberLog

    init(_ value: JSONValue, at path: [any CodingKey], _ members: MemberLog) {
        self.value = value
        self.codingPath = path
        self.members = members
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = self.value else { throw self.mismatch("an object") }
        self.members.note(members, at: self.codingPath)
        return KeyedDecodingContainer(ObjectDecoder<Key>(self, members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let items) = self.value else { throw self.mismatch("a list") }
        return ListDecoder(self, items)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// The decoder of a value within this one.
    func inner(_ value: JSONValue, _ key: any CodingKey) -> ValueDecoder {
        ValueDecoder(value, at: self.codingPath + [key], self.members)
    }

    private func mismatch(_ wanted: String) -> DecodingError {
        let came =
            switch self.value {
            case .null: "null"
            case .bool: "true or false"
            case .number: "a number"
            case .string: "a text"
            case .array: "a list"
            case .object: "an object"
            }
        return DecodingError.typeMismatch(
            Any.self,
            .init(codingPath: self.codingPath, debugDescription: "this is \(came); it must be \(wanted)")
        )
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        if case .null = self.value { true } else { false }
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = self.value else { throw self.mismatch("true or false") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text) = self.value else { throw self.mismatch("a text") }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let number) = self.value else { throw self.mismatch("a number") }
        return number.doubleValue
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try self.decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try self.integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try self.integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try self.integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try self.integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try self.integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try self.integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try self.integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try self.integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try self.integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try self.integer() }
    func decode<Model: Decodable>(_ type: Model.Type) throws -> Model { try Model(from: self) }

    private func integer<Number: FixedWidthInteger>() throws -> Number {
        guard case .number(let number) = self.value else { throw self.mismatch("a whole number") }
        if let value = Number(number.spelling) ?? number.intValue.flatMap(Number.init(exactly:)) { return value }
        let message = "\(number.spelling) must be a whole number from \(Number.min) to \(Number.max)"
        throw DecodingError.dataCorrupted(.init(codingPath: self.codingPath, debugDescription: message))
    }
}

/// A place in a list.
private struct ListIndex: CodingKey {
    let intValue: Int?
    var stringValue: String { self.intValue.map(String.init) ?? "" }

    init(intValue: Int) {
        self.intValue = intValue
    }

    init?(stringValue: String) { nil }
}

/// The members of an object.
private struct ObjectDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ValueDecoder
    private let values: [String: JSONValue]

    init(_ decoder: ValueDecoder, _ members: [JSONMember]) {
        self.decoder = decoder
        self.values = Dictionary(members.map { ($0.name, $0.value) }) { _, last in last }
    }

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var allKeys: [Key] { self.values.keys.sorted().compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool {
        self.decoder.members.noteAsked(key.stringValue, at: self.codingPath)
        return self.values[key.stringValue] != nil
    }

    private func member(_ key: Key) throws -> ValueDecoder {
        self.decoder.members.noteAsked(key.stringValue, at: self.codingPath)
        guard let value = self.values[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: self.codingPath, debugDescription: ""))
        }
        return self.decoder.inner(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try self.member(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try self.member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try self.member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try self.member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try self.member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try self.member(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try self.member(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try self.member(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try self.member(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try self.member(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try self.member(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try self.member(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try self.member(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try self.member(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try self.member(key).decode(type) }
    func decode<Model: Decodable>(_ type: Model.Type, forKey key: Key) throws -> Model {
        try self.member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try self.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.member(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { self.decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try self.member(key) }
}

/// The items of a list.
private struct ListDecoder: UnkeyedDecodingContainer {
    private let decoder: ValueDecoder
    private let items: [JSONValue]
    private(set) var currentIndex = 0

    init(_ decoder: ValueDecoder, _ items: [JSONValue]) {
        self.decoder = decoder
        self.items = items
    }

    var codingPath: [any CodingKey] { self.decoder.codingPath }
    var count: Int? { self.items.count }
    var isAtEnd: Bool { self.currentIndex >= self.items.count }

    private mutating func next<Result>(_ read: (ValueDecoder) throws -> Result) throws -> Result {
        guard !self.isAtEnd else {
            throw DecodingError.valueNotFound(
                Result.self,
                .init(codingPath: self.codingPath, debugDescription: "the list is too short")
            )
        }
        let result = try read(self.decoder.inner(self.items[self.currentIndex], ListIndex(intValue: self.currentIndex)))
        self.currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard !self.isAtEnd, case .null = self.items[self.currentIndex] else { return false }
        self.currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try self.next { try $0.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try self.next { try $0.decode(type) } }
    mutating func decode<Model: Decodable>(_ type: Model.Type) throws -> Model { try self.next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try self.next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try self.next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try self.next { $0 } }
}
