/// A protobuf message without its descriptor: numbered fields in wire order.
///
/// A field number may occur any number of times. On the wire a nested message looks like a string, so it is a
/// ``Value/bytes(_:)`` here: see ``Value/message`` and ``Value/content``.
package struct ProtobufMessage: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        /// The field number, 1 to 536,870,911.
        package var number: Int
        package var value: Value

        package init(_ number: Int, _ value: Value) {
            self.number = number
            self.value = value
        }
    }

    /// A field value, by wire type.
    package enum Value: Sendable, Hashable {
        case varint(UInt64)
        case fixed64(UInt64)
        /// A string, bytes, a nested message or a packed list.
        case bytes([UInt8])
        case group(ProtobufMessage)
        case fixed32(UInt32)
    }

    package var fields: [Field]

    package init(fields: [Field] = []) {
        self.fields = fields
    }

    /// Parses a message. Returns `nil` if the bytes are malformed or cut off, or if groups are nested deeper than 100
    /// levels.
    ///
    /// Overlong varints are accepted, but ``bytes`` writes the shortest form. Compare the bytes to find out if the
    /// message is exact.
    package init?(parsing bytes: [UInt8]) {
        self.init(WireReader(bytes))
    }

    private init?(_ reader: WireReader) {
        var reader = reader
        self.fields = []
        do throws(WireError) {
            while let field = try reader.next() {
                let value: Value
                switch field.value {
                case .varint(let number): value = .varint(number)
                case .fixed64(let number): value = .fixed64(number)
                case .bytes(let range): value = .bytes(Array(reader.bytes[range]))
                case .group(let range):
                    // The reader has checked the group and its depth.
                    guard let group = ProtobufMessage(WireReader(reader.bytes, in: range)) else { return nil }
                    value = .group(group)
                case .fixed32(let number): value = .fixed32(number)
                }
                self.fields.append(Field(field.number, value))
            }
        } catch {
            return nil
        }
    }

    /// The encoded message, with the shortest varints.
    package var bytes: [UInt8] {
        var writer = WireWriter()
        for field in self.fields {
            switch field.value {
            case .varint(let value): writer.field(field.number, varint: value)
            case .fixed64(let value): writer.field(field.number, fixed64: value)
            case .bytes(let value): writer.field(field.number, bytes: value)
            case .group(let value): writer.field(field.number, group: value.bytes)
            case .fixed32(let value): writer.field(field.number, fixed32: value)
            }
        }
        return writer.bytes
    }
}

extension ProtobufMessage.Value {
    /// The value as a message: a group, or bytes that parse as a message. Short strings often parse by chance.
    package var message: ProtobufMessage? {
        switch self {
        case .bytes(let bytes): ProtobufMessage(parsing: bytes)
        case .group(let message): message
        case .varint, .fixed64, .fixed32: nil
        }
    }

    /// The likely meaning of a length-delimited value.
    package enum Content: Sendable, Hashable {
        /// UTF-8 without control characters other than tab and line ends.
        case text(String)
        case message(ProtobufMessage)
        /// Anything else, such as binary data or a packed list.
        case bytes([UInt8])
    }

    /// The likely meaning of ``bytes(_:)``; `nil` for other wire types.
    ///
    /// Printable text is text; other bytes that parse as a message are a message. A message can be printable too if
    /// its first field is a string in field 1. Its first byte is then a line feed, so text that begins with a control
    /// character and parses as a message is a message.
    package var content: Content? {
        guard case .bytes(let bytes) = self else { return nil }
        let text = Self.printableText(bytes)
        if let text, bytes.first.map({ $0 >= 0x20 }) ?? true { return .text(text) }
        if let message = ProtobufMessage(parsing: bytes), message.bytes == bytes { return .message(message) }
        return text.map { .text($0) } ?? .bytes(bytes)
    }

    /// ``content`` of a value within so many messages: behind the depth that readers of protobuf allow, no bytes are a message.
    func content(depth: Int) -> Content? {
        guard depth >= WireReader.depthLimit, case .bytes(let bytes) = self else { return self.content }
        return Self.printableText(bytes).map { .text($0) } ?? .bytes(bytes)
    }

    private static func printableText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let isPrintable = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0..<0x20, 0x7F..<0xA0, 0xFEFF, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
        return isPrintable ? text : nil
    }
}
