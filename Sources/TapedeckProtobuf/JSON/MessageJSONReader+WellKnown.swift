import TapedeckJSON

extension MessageJSONReader {
    /// Converts the special JSON of a well-known type.
    func bytes(
        of type: WellKnownType,
        _ message: MessageDescriptor,
        _ json: JSONValue,
        depth: Int
    ) throws(ProtobufJSONError) -> [UInt8] {
        switch type {
        case .any: return try self.any(json, depth: depth)
        case .timestamp:
            guard let time = json.stringValue.flatMap(ProtobufTime.init(timestamp:)) else {
                throw Self.mismatch(json, "expected a timestamp such as \"2026-11-24T08:30:00.250Z\"")
            }
            return time.bytes
        case .duration:
            guard let time = json.stringValue.flatMap(ProtobufTime.init(duration:)) else {
                throw Self.mismatch(json, "expected a duration in seconds such as \"1.5s\"")
            }
            return time.bytes
        case .fieldMask:
            guard let paths = json.stringValue.flatMap(ProtobufFieldMask.paths) else {
                throw Self.mismatch(json, "expected field names in lowerCamelCase such as \"user.firstName,id\"")
            }
            var writer = WireWriter()
            for path in paths { writer.field(1, bytes: Array(path.utf8)) }
            return writer.bytes
        case .struct:
            guard case .object(let members) = json else { throw Self.mismatch(json, "expected an object") }
            return try self.structFields(members, depth: depth)
        case .listValue:
            guard case .array(let items) = json else { throw Self.mismatch(json, "expected a list") }
            return try self.listItems(items, depth: depth)
        case .value: return try self.value(json, depth: depth)
        case .doubleValue, .floatValue, .int64Value, .uint64Value, .int32Value, .uint32Value, .boolValue, .stringValue,
            .bytesValue:
            guard let field = message.field(1) else { return [] }
            var writer = WireWriter()
            try self.write(field, json, depth: depth, to: &writer)
            return writer.bytes
        }
    }

    // MARK: Any

    private func any(_ json: JSONValue, depth: Int) throws(ProtobufJSONError) -> [UInt8] {
        guard case .object(let members) = json else {
            throw Self.mismatch(json, "expected an object with @type, as the field is an Any")
        }
        if members.isEmpty { return [] }
        guard let url = json["@type"]?.stringValue, !url.isEmpty else {
            throw ProtobufJSONError("an Any needs its type in @type, such as \"type.googleapis.com/package.Message\"")
        }
        let others = members.filter { !$0.name.isSameText(as: "@type") }
        var writer = WireWriter()
        writer.field(1, bytes: Array(url.utf8))
        let bytes = try self.anyBytes(url, others, depth: depth)
        if !bytes.isEmpty { writer.field(2, bytes: bytes) }
        return writer.bytes
    }

    private func anyBytes(
        _ url: String,
        _ members: [JSONMember],
        depth: Int
    ) throws(ProtobufJSONError) -> [UInt8] {
        let onlyValue = members.count == 1 && members[0].name == "value" ? members[0].value : nil
        guard let index = self.pool.message(typeURL: url) else {
            guard let bytes = onlyValue?.stringValue.flatMap(Self.base64) else {
                throw ProtobufJSONError(
                    "the type \(ProtobufJSONError.quoted(url)) is not in the descriptor set; "
                        + "add its file, or give the bytes as base64 in value"
                )
            }
            return bytes
        }
        let message = self.pool.messages[index]
        // Some implementations write an Empty with a `value` member.
        guard message.wellKnown != nil || message.name == "google.protobuf.Empty" && onlyValue != nil else {
            return try self.fields(of: message, members, depth: depth + 1)
        }
        guard let value = onlyValue else {
            throw ProtobufJSONError("an Any of \(message.name) takes only @type and value")
        }
        do throws(ProtobufJSONError) {
            return try self.bytes(of: index, value, depth: depth + 1)
        } catch {
            throw error.inside("value")
        }
    }

    // MARK: Struct

    private func structFields(_ members: [JSONMember], depth: Int) throws(ProtobufJSONError) -> [UInt8] {
        var writer = WireWriter()
        var names: Set<JSONName> = []
        for member in members {
            do throws(ProtobufJSONError) {
                guard names.insert(JSONName(member.name)).inserted else {
                    throw ProtobufJSONError("duplicate key; remove one")
                }
                var entry = WireWriter()
                entry.field(1, bytes: Array(member.name.utf8))
                entry.field(2, bytes: try self.value(member.value, depth: depth + 2))
                writer.field(1, bytes: entry.bytes)
            } catch {
                throw error.inside(member.name)
            }
        }
        return writer.bytes
    }

    private func listItems(_ items: [JSONValue], depth: Int) throws(ProtobufJSONError) -> [UInt8] {
        var writer = WireWriter()
        for (index, item) in items.enumerated() {
            do throws(ProtobufJSONError) {
                writer.field(1, bytes: try self.value(item, depth: depth + 1))
            } catch {
                throw error.inside(index)
            }
        }
        return writer.bytes
    }

    private func value(_ json: JSONValue, depth: Int) throws(ProtobufJSONError) -> [UInt8] {
        guard depth <= WireReader.depthLimit else {
            throw ProtobufJSONError("messages are nested deeper than \(WireReader.depthLimit) levels")
        }
        var writer = WireWriter()
        switch json {
        case .null: writer.field(1, varint: 0)
        case .number: writer.field(2, try self.scalar(.double, json))
        case .string(let text): writer.field(3, bytes: Array(text.utf8))
        case .bool(let value): writer.field(4, varint: value ? 1 : 0)
        case .object(let members): writer.field(5, bytes: try self.structFields(members, depth: depth + 1))
        case .array(let items): writer.field(6, bytes: try self.listItems(items, depth: depth + 1))
        }
        return writer.bytes
    }
}
