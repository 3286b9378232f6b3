extension ProtobufMessage {
    /// The message in one of the orders that mean the same: fields by number, and of a map, whose order is that of a hash
    /// table and differs from process to process, the entries by key.
    ///
    /// Without a descriptor a map is a number that occurs several times, each time as a message of a key in field 1 and at
    /// most a value in field 2 (protobuf encoding, "Maps"), with different keys that are strings or whole numbers.
    package var inOneOrder: ProtobufMessage { self.inOneOrder(depth: 0) }

    fileprivate func inOneOrder(depth: Int) -> ProtobufMessage {
        var places: [Int: [Value]] = [:]
        for field in self.fields { places[field.number, default: []].append(field.value.inOneOrder(depth: depth)) }
        let fields = places.sorted { $0.key < $1.key }.flatMap { number, values in
            (Self.entriesByKey(values) ?? values).map { Field(number, $0) }
        }
        return ProtobufMessage(fields: fields)
    }

    /// Returns `nil` for values that are not the entries of a map.
    private static func entriesByKey(_ values: [Value]) -> [Value]? {
        guard values.count > 1 else { return nil }
        var entries: [(key: [UInt8], value: Value)] = []
        var keys: Set<[UInt8]> = []
        for value in values {
            guard case .message(let entry)? = value.content, let key = entry.mapKey, keys.insert(key).inserted else {
                return nil
            }
            entries.append((key, value))
        }
        return entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// The key of an entry of a map; `nil` for any other message.
    private var mapKey: [UInt8]? {
        let keys = self.fields.filter { $0.number == 1 }
        guard keys.count == 1, self.fields.count <= 2, self.fields.allSatisfy({ $0.number < 3 }) else { return nil }
        switch keys[0].value {
        case .bytes(let bytes): return bytes
        // Of one length, so that they sort by value.
        case .varint(let number): return (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        case .fixed32, .fixed64, .group: return nil
        }
    }
}

extension ProtobufMessage.Value {
    fileprivate func inOneOrder(depth: Int) -> Self {
        if case .group(let message) = self { return .group(message.inOneOrder(depth: depth + 1)) }
        guard case .message(let message)? = self.content(depth: depth) else { return self }
        return .bytes(message.inOneOrder(depth: depth + 1).bytes)
    }
}
