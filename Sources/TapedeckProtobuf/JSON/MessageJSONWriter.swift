import TapedeckJSON

/// Converts encoded messages to JSON.
struct MessageJSONWriter {
    /// The reason why a message has no JSON.
    enum Failure: Error {
        case malformed
        case tooDeep
        /// ProtoJSON cannot represent a value.
        case inexpressible
    }

    let pool: DescriptorPool
    /// True to refuse messages with unknown fields.
    var isStrict = false

    /// - Parameter index: the index of the message type in the pool.
    func json(of index: Int, _ reader: WireReader, depth: Int) throws(Failure) -> JSONValue {
        let message = self.pool.messages[index]
        let slots = try self.slots(message, reader, depth: depth)
        if let type = message.wellKnown { return try self.json(of: type, message, slots, depth: depth) }
        return .object(try self.members(slots, depth: depth))
    }

    func slots(
        _ message: MessageDescriptor,
        _ reader: WireReader,
        depth: Int
    ) throws(Failure) -> MessageSlots {
        guard depth <= WireReader.depthLimit else { throw .tooDeep }
        let slots: MessageSlots
        do throws(WireError) {
            slots = try MessageSlots(message, reader, self.pool)
        } catch {
            throw .malformed
        }
        guard !self.isStrict || !slots.hasUnknown else { throw .inexpressible }
        return slots
    }

    func members(_ slots: MessageSlots, depth: Int) throws(Failure) -> [JSONMember] {
        var members: [JSONMember] = []
        for slot in slots.slots {
            let field = slot.field
            // Without presence, a zero that was sent means the same as a missing field.
            if !field.isRepeated, !field.hasPresence, slot.scalars.first?.isDefault ?? false { continue }
            let json = try self.json(of: slot, depth: depth)
            // All entries may have been unknown values of a closed enum.
            if case .object(let entries) = json, entries.isEmpty, field.isMap { continue }
            members.append(JSONMember(name: field.jsonName, value: json))
        }
        return members
    }

    /// Returns the JSON of a field that is set.
    func json(of slot: MessageSlots.Slot, depth: Int) throws(Failure) -> JSONValue {
        let field = slot.field
        if field.isMap, let entry = field.kind.message {
            return try self.map(slot.messages, self.pool.messages[entry], depth: depth)
        }
        var items: [JSONValue] = []
        if let index = field.kind.message {
            for message in slot.messages {
                items.append(try self.json(of: index, WireReader(message), depth: depth + 1))
            }
        } else {
            for scalar in slot.scalars { items.append(try self.json(of: scalar, field)) }
        }
        return field.isRepeated ? .array(items) : items.first ?? .null
    }

    /// Returns the JSON of a map. The last entry of a key counts, at the position of the first.
    private func map(
        _ entries: [[UInt8]],
        _ entry: MessageDescriptor,
        depth: Int
    ) throws(Failure) -> JSONValue {
        // The pool has checked that map entries have both fields.
        guard let keyField = entry.field(1), let valueField = entry.field(2) else { throw .inexpressible }
        var members: [JSONMember] = []
        var indices: [JSONName: Int] = [:]
        for bytes in entries {
            let slots = try self.slots(entry, WireReader(bytes), depth: depth + 1)
            // An entry with an undefined value of a closed enum is an unknown field.
            if slots[2] == nil, case .enum(let index) = valueField.kind, !self.pool.enums[index].isOpen,
                Self.hasVarint(2, in: bytes)
            {
                continue
            }
            let key = try self.valueOrDefault(slots[1], keyField, depth: depth + 1)
            let value = try self.valueOrDefault(slots[2], valueField, depth: depth + 1)
            let name = Self.memberName(key)
            if let index = indices[JSONName(name)] {
                members[index].value = value
            } else {
                indices[JSONName(name)] = members.count
                members.append(JSONMember(name: name, value: value))
            }
        }
        return .object(members)
    }

    private static func hasVarint(_ number: Int, in bytes: [UInt8]) -> Bool {
        ProtobufMessage(parsing: bytes)?.fields.contains { field in
            if case .varint = field.value { field.number == number } else { false }
        } ?? false
    }

    private static func memberName(_ key: JSONValue) -> String {
        switch key {
        case .string(let text): text
        case .number(let number): number.spelling
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: ""
        }
    }

    /// Returns the JSON of a field, or of its default if it is not set.
    func valueOrDefault(
        _ slot: MessageSlots.Slot?,
        _ field: FieldDescriptor,
        depth: Int
    ) throws(Failure) -> JSONValue {
        if let slot { return try self.json(of: slot, depth: depth) }
        if let message = field.kind.message { return try self.json(of: message, WireReader([]), depth: depth + 1) }
        let zero: MessageSlots.Scalar =
            switch field.kind.wireType {
            case 0: .varint(0)
            case 1: .fixed64(0)
            case 5: .fixed32(0)
            default: .bytes([])
            }
        return try self.json(of: zero, field)
    }

    private func json(of scalar: MessageSlots.Scalar, _ field: FieldDescriptor) throws(Failure) -> JSONValue {
        switch (scalar, field.kind) {
        case (.varint(let value), .bool): return .bool(value != 0)
        case (.varint(let value), .int32): return Self.number(Int64(bitPattern: value))
        case (.varint(let value), .uint32): return Self.number(value)
        case (.varint(let value), .sint32): return Self.number(Self.zigzag(value))
        case (.varint(let value), .int64): return .string(String(Int64(bitPattern: value)))
        case (.varint(let value), .uint64): return .string(String(value))
        case (.varint(let value), .sint64): return .string(String(Self.zigzag(value)))
        case (.varint(let value), .enum(let index)):
            let value = Int32(truncatingIfNeeded: value)
            if self.pool.enums[index].name == WellKnownType.nullValueName { return .null }
            return self.pool.enums[index].namesByNumber[value].map { .string($0) } ?? Self.number(value)
        case (.fixed32(let bits), .fixed32): return Self.number(bits)
        case (.fixed32(let bits), .sfixed32): return Self.number(Int32(bitPattern: bits))
        case (.fixed32(let bits), .float): return Self.number(Float(bitPattern: bits))
        case (.fixed64(let bits), .fixed64): return .string(String(bits))
        case (.fixed64(let bits), .sfixed64): return .string(String(Int64(bitPattern: bits)))
        case (.fixed64(let bits), .double): return Self.number(Double(bitPattern: bits))
        case (.bytes(let bytes), .string):
            // proto2 does not validate strings, but JSON cannot hold invalid UTF-8.
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
            return .string(text)
        case (.bytes(let bytes), .bytes): return .string(String(decoding: Base64.encode(bytes), as: UTF8.self))
        default: throw .malformed
        }
    }

    private static func zigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private static func number(_ value: some FixedWidthInteger) -> JSONValue {
        .number(JSONNumber(checked: String(value)))
    }

    /// Returns the shortest number that parses back to the value. Infinities and NaN are strings.
    static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> JSONValue {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
        let text = String(value)
        // Many JSON parsers read `-0` as an integer and lose the sign.
        let isInteger = text.hasSuffix(".0") && text != "-0.0"
        return .number(JSONNumber(checked: isInteger ? String(text.dropLast(2)) : text))
    }
}
