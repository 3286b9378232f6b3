import TapedeckJSON

extension MessageJSONReader {
    /// Converts a value other than a message.
    func scalar(_ kind: FieldDescriptor.Kind, _ json: JSONValue) throws(ProtobufJSONError) -> MessageSlots.Scalar {
        switch kind {
        case .int32: return .varint(UInt64(bitPattern: Int64(try Self.integer(json, as: Int32.self))))
        case .int64: return .varint(UInt64(bitPattern: try Self.integer(json, as: Int64.self)))
        case .uint32: return .varint(UInt64(try Self.integer(json, as: UInt32.self)))
        case .uint64: return .varint(try Self.integer(json, as: UInt64.self))
        case .sint32:
            let value = try Self.integer(json, as: Int32.self)
            return .varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
        case .sint64:
            let value = try Self.integer(json, as: Int64.self)
            return .varint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .fixed32: return .fixed32(try Self.integer(json, as: UInt32.self))
        case .fixed64: return .fixed64(try Self.integer(json, as: UInt64.self))
        case .sfixed32: return .fixed32(UInt32(bitPattern: try Self.integer(json, as: Int32.self)))
        case .sfixed64: return .fixed64(UInt64(bitPattern: try Self.integer(json, as: Int64.self)))
        case .float: return .fixed32(try Self.float(json, as: Float.self).bitPattern)
        case .double: return .fixed64(try Self.float(json, as: Double.self).bitPattern)
        case .bool:
            guard case .bool(let value) = json else { throw Self.mismatch(json, "expected true or false") }
            return .varint(value ? 1 : 0)
        case .string:
            guard case .string(let text) = json else { throw Self.mismatch(json, "expected a string") }
            return .bytes(Array(text.utf8))
        case .bytes:
            guard case .string(let text) = json, let bytes = Self.base64(text) else {
                throw Self.mismatch(json, "expected bytes as a base64 string")
            }
            return .bytes(bytes)
        case .enum(let index):
            return .varint(UInt64(bitPattern: Int64(try Self.number(of: json, in: self.pool.enums[index]))))
        case .message, .group:
            preconditionFailure("callers convert messages with bytes(of:)")
        }
    }

    static func base64(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { Base64.decodeEither(UnsafeRawBufferPointer($0)) }
    }

    private static func number(of json: JSONValue, in type: EnumDescriptor) throws(ProtobufJSONError) -> Int32 {
        switch json {
        case .string(let name):
            if let number = type.numbers[name] { return number }
            let remedy = Spelling.nearest(to: name, among: type.names).map { "did you mean \($0)?" }
            let names = type.names.prefix(10).joined(separator: ", ") + (type.names.count > 10 ? " and others" : "")
            throw ProtobufJSONError(
                "\(type.name) has no value \(ProtobufJSONError.quoted(name)); \(remedy ?? "its values are \(names)")"
            )
        case .number:
            let number = try self.integer(json, as: Int32.self)
            guard type.isOpen || type.namesByNumber[number] != nil else {
                throw ProtobufJSONError(
                    "\(type.name) has no value \(number), and a closed enum accepts only its own values"
                )
            }
            return number
        case .null where type.name == WellKnownType.nullValueName: return 0
        default: throw self.mismatch(json, "expected a name or number of \(type.name)")
        }
    }

    // MARK: Numbers

    /// Converts an integer or a string with one. 1.0 and 1e2 are integers.
    private static func integer<Integer: FixedWidthInteger>(
        _ json: JSONValue,
        as type: Integer.Type
    ) throws(ProtobufJSONError) -> Integer {
        let number: JSONNumber? =
            switch json {
            case .number(let number): number
            case .string(let text): JSONNumber(text)
            case .null, .bool, .array, .object: nil
            }
        guard let number, let value = self.whole(number, as: type) else {
            throw self.mismatch(json, "expected an integer from \(Integer.min) to \(Integer.max)")
        }
        return value
    }

    private static func whole<Integer: FixedWidthInteger>(_ number: JSONNumber, as type: Integer.Type) -> Integer? {
        if let value = Integer(number.spelling) { return value }
        var canonical: [UInt8] = []
        number.appendCanonical(to: &canonical)
        // The canonical spelling is digits and an exponent, such as 12e1 for 120.
        let parts = String(decoding: canonical, as: UTF8.self).split(separator: "e")
        guard let exponent = parts.count == 2 ? Int(parts[1]) : 0, 0...20 ~= exponent else { return nil }
        return Integer(parts[0] + String(repeating: "0", count: exponent))
    }

    private static func float<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ json: JSONValue,
        as type: Value.Type
    ) throws(ProtobufJSONError) -> Value {
        switch json {
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        case .number(let number):
            if let value = Value(number.spelling), value.isFinite { return value }
        case .string(let text):
            if let value = JSONNumber(text).flatMap({ Value($0.spelling) }), value.isFinite { return value }
        case .null, .bool, .array, .object: break
        }
        throw self.mismatch(json, "expected a \(Value.self == Float.self ? "float" : "double")")
    }
}
