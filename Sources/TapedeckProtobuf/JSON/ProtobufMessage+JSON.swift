package import TapedeckJSON

/// Messages whose descriptor is not known, as values to compare or to change.
extension ProtobufMessage {
    /// The fields by number as JSON: an array for a field that occurs several times, a text of RFC 3339 for what looks like a
    /// `google.protobuf.Timestamp` of this century, an object with `hex` for bytes.
    ///
    /// It tells two messages of one type apart. It cannot be made into the message again.
    package var json: JSONValue {
        var members: [JSONMember] = []
        var values: [Int: [JSONValue]] = [:]
        for field in self.fields {
            if values[field.number] == nil { members.append(JSONMember(name: "\(field.number)", value: .null)) }
            values[field.number, default: []].append(field.value.json)
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
        ProtobufMessage(fields: self.fields.map { Field($0.number, $0.value.changingTexts(change)) })
    }
}

extension ProtobufMessage.Value {
    fileprivate var json: JSONValue {
        switch self {
        case .varint(let number), .fixed64(let number): return .number(JSONNumber(checked: "\(number)"))
        case .fixed32(let number): return .number(JSONNumber(checked: "\(number)"))
        case .group(let message): return message.json
        case .bytes(let bytes):
            switch self.content {
            case .text(let text): return .string(text)
            case .message(let message): return message.timestamp.map { .string($0) } ?? message.json
            case .bytes, nil:
                let digits = bytes.flatMap { [ASCII.hexDigit($0 >> 4), ASCII.hexDigit($0 & 0x0F)] }
                return .object([JSONMember(name: "hex", value: .string(String(decoding: digits, as: UTF8.self)))])
            }
        }
    }

    fileprivate func changingTexts(_ change: ([UInt8]) -> [UInt8]) -> Self {
        switch self {
        case .varint, .fixed64, .fixed32: return self
        case .group(let message): return .group(message.changingTexts(change))
        case .bytes(let bytes):
            switch self.content {
            case .text: return .bytes(change(bytes))
            case .message(let message):
                let changed = message.changingTexts(change)
                return changed == message ? self : .bytes(changed.bytes)
            case .bytes, nil: return self
            }
        }
    }
}
