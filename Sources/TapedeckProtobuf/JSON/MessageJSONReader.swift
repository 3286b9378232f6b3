import TapedeckJSON

/// Converts JSON to encoded messages, with fields in the order of the members.
struct MessageJSONReader {
    let pool: DescriptorPool

    /// - Parameter index: the index of the message type in the pool.
    func bytes(of index: Int, _ json: JSONValue, depth: Int) throws(ProtobufJSONError) -> [UInt8] {
        guard depth <= WireReader.depthLimit else {
            throw ProtobufJSONError("messages are nested deeper than \(WireReader.depthLimit) levels")
        }
        let message = self.pool.messages[index]
        if let type = message.wellKnown { return try self.bytes(of: type, message, json, depth: depth) }
        guard case .object(let members) = json else {
            throw Self.mismatch(json, "expected an object for \(message.name)")
        }
        return try self.fields(of: message, members, depth: depth)
    }

    func fields(
        of message: MessageDescriptor,
        _ members: [JSONMember],
        depth: Int
    ) throws(ProtobufJSONError) -> [UInt8] {
        var writer = WireWriter()
        var seen: Set<Int> = []
        var written: Set<Int> = []
        var chosen: [Int: FieldDescriptor] = [:]
        for member in members {
            guard let field = message.field(member.name) else {
                throw Self.unknown(member.name, of: message).inside(member.name)
            }
            guard seen.insert(field.number).inserted else {
                throw ProtobufJSONError("duplicate field; remove one").inside(member.name)
            }
            if case .null = member.value, !self.hasNull(field) { continue }
            if let oneof = field.oneof, let other = chosen.updateValue(field, forKey: oneof) {
                throw ProtobufJSONError(
                    "only one of \(other.jsonName) and \(field.jsonName) can be set, as both are in the oneof "
                        + message.oneofs[oneof]
                ).inside(member.name)
            }
            written.insert(field.number)
            do throws(ProtobufJSONError) {
                try self.write(field, member.value, depth: depth, to: &writer)
            } catch {
                throw error.inside(member.name)
            }
        }
        for field in message.required where !written.contains(field.number) {
            throw ProtobufJSONError("\(message.name) requires the field \(field.jsonName)")
        }
        return writer.bytes
    }

    /// Returns true for fields that have `null` as a value.
    private func hasNull(_ field: FieldDescriptor) -> Bool {
        guard !field.isRepeated else { return false }
        switch field.kind {
        case .enum(let index): return self.pool.enums[index].name == WellKnownType.nullValueName
        case .message(let index), .group(let index): return self.pool.messages[index].wellKnown == .value
        default: return false
        }
    }

    private static func unknown(_ name: String, of message: MessageDescriptor) -> ProtobufJSONError {
        let names = message.fields.map(\.jsonName)
        let remedy: String
        if let near = Spelling.nearest(to: name, among: names) {
            remedy = "did you mean \(near)?"
        } else if names.isEmpty {
            remedy = "it has no fields"
        } else {
            remedy =
                "its fields are \(names.prefix(10).joined(separator: ", "))" + (names.count > 10 ? " and others" : "")
        }
        return ProtobufJSONError("\(message.name) has no such field; \(remedy)")
    }

    // MARK: Fields

    /// Encodes a field that is set.
    func write(
        _ field: FieldDescriptor,
        _ json: JSONValue,
        depth: Int,
        to writer: inout WireWriter
    ) throws(ProtobufJSONError) {
        if field.isMap, let entry = field.kind.message {
            return try self.writeMap(field, self.pool.messages[entry], json, depth: depth, to: &writer)
        }
        guard field.isRepeated else {
            return try self.write(field, value: json, depth: depth, to: &writer)
        }
        guard case .array(let items) = json else {
            throw Self.mismatch(json, "expected a list, as the field is repeated")
        }
        var packed = WireWriter()
        for (index, item) in items.enumerated() {
            do throws(ProtobufJSONError) {
                if field.isPacked {
                    packed.write(try self.scalar(field.kind, item))
                } else {
                    try self.write(field, value: item, depth: depth, to: &writer)
                }
            } catch {
                throw error.inside(index)
            }
        }
        if !packed.bytes.isEmpty { writer.field(field.number, bytes: packed.bytes) }
    }

    private func write(
        _ field: FieldDescriptor,
        value json: JSONValue,
        depth: Int,
        to writer: inout WireWriter
    ) throws(ProtobufJSONError) {
        switch field.kind {
        case .message(let index): writer.field(field.number, bytes: try self.bytes(of: index, json, depth: depth + 1))
        case .group(let index): writer.field(field.number, group: try self.bytes(of: index, json, depth: depth + 1))
        default:
            let scalar = try self.scalar(field.kind, json)
            guard field.hasPresence || field.isRepeated || !scalar.isDefault else { return }
            writer.field(field.number, scalar)
        }
    }

    private func writeMap(
        _ field: FieldDescriptor,
        _ entry: MessageDescriptor,
        _ json: JSONValue,
        depth: Int,
        to writer: inout WireWriter
    ) throws(ProtobufJSONError) {
        guard case .object(let members) = json else {
            throw Self.mismatch(json, "expected an object, as the field is a map")
        }
        guard let keyField = entry.field(1), let valueField = entry.field(2) else { return }
        var names: Set<JSONName> = []
        for member in members {
            do throws(ProtobufJSONError) {
                guard names.insert(JSONName(member.name)).inserted else {
                    throw ProtobufJSONError("duplicate key; remove one")
                }
                // Implementations send key and value even if they are zero.
                var pair = WireWriter()
                pair.field(1, try self.mapKey(keyField.kind, member.name))
                if let message = valueField.kind.message {
                    pair.field(2, bytes: try self.bytes(of: message, member.value, depth: depth + 2))
                } else {
                    pair.field(2, try self.scalar(valueField.kind, member.value))
                }
                writer.field(field.number, bytes: pair.bytes)
            } catch {
                throw error.inside(member.name)
            }
        }
    }

    private func mapKey(_ kind: FieldDescriptor.Kind, _ text: String) throws(ProtobufJSONError) -> MessageSlots.Scalar {
        switch (kind, text) {
        case (.bool, "true"): .varint(1)
        case (.bool, "false"): .varint(0)
        case (.bool, _): throw ProtobufJSONError("the keys of this map are \"true\" and \"false\"")
        default: try self.scalar(kind, .string(text))
        }
    }

    /// Returns an error that names the expected and the actual value.
    static func mismatch(_ json: JSONValue, _ expected: String) -> ProtobufJSONError {
        let found =
            switch json {
            case .null: "null"
            case .bool(let value): value ? "true" : "false"
            case .number(let number): number.spelling
            case .string(let text): ProtobufJSONError.quoted(text)
            case .array: "a list"
            case .object: "an object"
            }
        return ProtobufJSONError("\(expected), not \(found)")
    }
}

extension WireWriter {
    /// Writes a value without tag or length.
    mutating func write(_ scalar: MessageSlots.Scalar) {
        switch scalar {
        case .varint(let value): self.varint(value)
        case .fixed64(let value): self.fixed64(value)
        case .fixed32(let value): self.fixed32(value)
        case .bytes(let bytes): self.append(bytes)
        }
    }

    /// Writes tag and value.
    mutating func field(_ number: Int, _ scalar: MessageSlots.Scalar) {
        switch scalar {
        case .varint(let value): self.field(number, varint: value)
        case .fixed64(let value): self.field(number, fixed64: value)
        case .fixed32(let value): self.field(number, fixed32: value)
        case .bytes(let bytes): self.field(number, bytes: bytes)
        }
    }
}
