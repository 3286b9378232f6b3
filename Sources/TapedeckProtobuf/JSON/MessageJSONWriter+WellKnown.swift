import TapedeckJSON

extension MessageJSONWriter {
    /// Returns the special JSON of a well-known type.
    func json(
        of type: WellKnownType,
        _ message: MessageDescriptor,
        _ slots: MessageSlots,
        depth: Int
    ) throws(Failure) -> JSONValue {
        switch type {
        case .any: return .object(try self.any(slots, depth: depth))
        case .timestamp: return .string(try Self.text(ProtobufTime(slots).timestamp))
        case .duration: return .string(try Self.text(ProtobufTime(slots).duration))
        case .fieldMask: return .string(try Self.text(ProtobufFieldMask.json(of: Self.texts(slots[1]))))
        case .struct:
            guard let fields = slots[1] else { return .object([]) }
            return try self.json(of: fields, depth: depth)
        case .listValue:
            guard let values = slots[1] else { return .array([]) }
            return try self.json(of: values, depth: depth)
        case .value:
            guard let slot = slots.slots.first else { return .null }
            let json = try self.json(of: slot, depth: depth)
            // Infinities and NaN would be parsed as strings.
            if slot.field.kind == .double, json.stringValue != nil { throw .inexpressible }
            return json
        case .doubleValue, .floatValue, .int64Value, .uint64Value, .int32Value, .uint32Value, .boolValue, .stringValue,
            .bytesValue:
            guard let field = message.field(1) else { throw .inexpressible }
            return try self.valueOrDefault(slots[1], field, depth: depth)
        }
    }

    private func any(_ slots: MessageSlots, depth: Int) throws(Failure) -> [JSONMember] {
        guard let url = try Self.texts(slots[1]).first, !url.isEmpty else {
            guard slots[2] == nil else { throw .inexpressible }
            return []
        }
        let bytes = Self.bytes(slots[2]).first ?? []
        let type = JSONMember(name: "@type", value: .string(url))
        guard let index = self.pool.message(typeURL: url) else {
            let base64 = String(decoding: Base64.encode(bytes), as: UTF8.self)
            return [type, JSONMember(name: "value", value: .string(base64))]
        }
        let message = self.pool.messages[index]
        if message.wellKnown != nil {
            let value = try self.json(of: index, WireReader(bytes), depth: depth + 1)
            return [type, JSONMember(name: "value", value: value)]
        }
        let inner = try self.slots(message, WireReader(bytes), depth: depth + 1)
        return [type] + (try self.members(inner, depth: depth + 1))
    }

    private static func text(_ text: String?) throws(Failure) -> String {
        guard let text else { throw .inexpressible }
        return text
    }

    /// Returns the values of a field of bytes or strings.
    private static func bytes(_ slot: MessageSlots.Slot?) -> [[UInt8]] {
        slot?.scalars.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } } ?? []
    }

    private static func texts(_ slot: MessageSlots.Slot?) throws(Failure) -> [String] {
        var texts: [String] = []
        for bytes in self.bytes(slot) {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
            texts.append(text)
        }
        return texts
    }
}

extension DescriptorPool {
    /// Returns the index of the message that an `Any` contains: the name behind the last slash.
    func message(typeURL url: String) -> Int? {
        self.message(named: url.lastIndex(of: "/").map { String(url[url.index(after: $0)...]) } ?? url)
    }
}
