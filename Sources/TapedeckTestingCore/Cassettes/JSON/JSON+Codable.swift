import TapedeckJSON

/// A value can be encoded or decoded as part of others. That way the order of members is lost, and numbers are written
/// as Swift writes them.
extension Tapedeck.JSON: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self.value {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members {
                try container.encode(Tapedeck.JSON(value: member.value), forKey: Name(stringValue: member.name))
            }
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(Tapedeck.JSON(value: item)) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .number(let number):
            var container = encoder.singleValueContainer()
            if let value = number.intValue {
                try container.encode(value)
            } else if let value = UInt64(number.spelling) {
                // A double would be another number.
                try container.encode(value)
            } else {
                try container.encode(number.doubleValue)
            }
        case .string(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            self.init(
                try container.allKeys.map {
                    Member($0.stringValue, try container.decode(Tapedeck.JSON.self, forKey: $0))
                }
            )
        } else if var container = try? decoder.unkeyedContainer() {
            var items: [Tapedeck.JSON] = []
            while !container.isAtEnd { items.append(try container.decode(Tapedeck.JSON.self)) }
            self.init(items)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self.init(value)
            } else if let value = try? container.decode(Int.self) {
                self.init(value)
            } else if let value = try? container.decode(UInt64.self) {
                self.init(value)
            } else if let value = try? container.decode(Double.self) {
                self.init(value)
            } else {
                self.init(try container.decode(String.self))
            }
        }
    }
}
