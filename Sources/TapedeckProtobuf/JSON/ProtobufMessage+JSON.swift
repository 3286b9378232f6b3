package import TapedeckJSON

/// Messages whose descriptor is not known, as values to compare or to change.
extension ProtobufMessage {
    /// The fields by number as JSON: an array for a field that occurs several times, a text of RFC 3339 for what looks like a
    /// `google.protobuf.Timestamp` of this century, an object with `hex` for bytes, and one with `fixed32` or `fixed64` for these.
    ///
    /// It tells two messages of one type apart. It cannot be made into the message again.
    package var json: JSONValue { self.json(depth: 0) }

    fileprivate func json(depth: Int) -> JSONValue {
        var members: [JSONMember] = []
        var values: [Int: [JSONValue]] = [:]
        for field in self.fields {
            if values[field.number] == nil { members.append(JSONMember(name: "\(field.number)", value: .null)) }
            values[field.number, default: []].append(field.value.json(depth: depth))
        }
        for index in members.indices {
            let found = Int(members[index].name).flatMap { values[$0] } ?? []
            members[index].value = found.count == 1 ? found[0] : .array(found)
        }
        return .object(members)
    }

    /// Seconds of the years 2001 to 2100.
    private static let seconds: ClosedRange<UInt64> = 978_307_200...4_133_980_799

    fileprivate var timestamp: String? {
        guard 1...2 ~= self.fields.count, self.fields[0].number == 1, case .varint(let seconds) = self.fields[0].value,
            Self.seconds ~= seconds
        else { return nil }
        guard self.fields.count == 2 else { return ProtobufTime(seconds: Int64(seconds), nanos: 0).timestamp }
        guard self.fields[1].number == 2, case .varint(let nanos) = self.fields[1].value, nanos < 1_000_000_000 else {
            return nil
        }
        return ProtobufTime(seconds: Int64(seconds), nanos: Int32(nanos)).timestamp
    }

    /// Returns the message with other texts, also in messages within it.
    package func changingTexts(_ change: ([UInt8]) -> [UInt8]) -> ProtobufMessage {
        self.changingTexts(change, depth: 0)
    }

    fileprivate func changingTexts(_ change: ([UInt8]) -> [UInt8], depth: Int) -> ProtobufMessage {
        ProtobufMessage(fields: self.fields.map { Field($0.number, $0.value.changingTexts(change, depth: depth)) })
    }
}

extension ProtobufMessage.Value {
    fileprivate func json(depth: Int) -> JSONValue {
        func number(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(checked: "\(value)")) }
        func object(_ name: String, _ value: JSONValue) -> JSONValue { .object([JSONMember(name: name, value: value)]) }
        switch self {
        case .varint(let value): return number(value)
        case .fixed64(let value): return object("fixed64", number(value))
        case .fixed32(let value): return object("fixed32", number(value))
        case .group(let message): return object("group", message.json(depth: depth + 1))
        case .bytes(let bytes):
            switch self.content(depth: depth) {
            case .text(let text): return .string(text)
            case .message(let message): return message.timestamp.map { .string($0) } ?? message.json(depth: depth + 1)
            case .bytes, nil:
                let digits = bytes.flatMap { [ASCII.hexDigit($0 >> 4), ASCII.hexDigit($0 & 0x0F)] }
                return object("hex", .string(String(decoding: digits, as: UTF8.self)))
            }
        }
    }

    fileprivate func changingTexts(_ change: ([UInt8]) -> [UInt8], depth: Int) -> Self {
        switch self {
        case .varint, .fixed64, .fixed32: return self
        case .group(let message): return .group(message.changingTexts(change, depth: depth + 1))
        case .bytes(let bytes):
            switch self.content(depth: depth) {
            case .text: return .bytes(change(bytes))
            case .message(let message):
                let changed = message.changingTexts(change, depth: depth + 1)
                return changed == message ? self : .bytes(changed.bytes)
            case .bytes, nil: return self
            }
        }
    }
}
