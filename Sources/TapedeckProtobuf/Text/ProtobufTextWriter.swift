import TapedeckJSON

/// Writes a message as ``ProtobufText``.
struct ProtobufTextWriter {
    /// The maximum length of a nested message that is written on one line, in bytes.
    private static let inlineLimit = 60

    private(set) var text: [UInt8] = []

    mutating func write(_ message: ProtobufMessage) {
        self.write(message, depth: 0)
    }

    private mutating func write(_ message: ProtobufMessage, depth: Int) {
        for field in message.fields {
            self.text.append(contentsOf: repeatElement(ASCII.space, count: depth * 2))
            self.append("\(field.number): ")
            self.write(field.value, depth: depth)
            self.text.append(ASCII.lineFeed)
        }
    }

    private mutating func write(_ value: ProtobufMessage.Value, depth: Int) {
        switch value {
        case .varint(let number):
            // A varint above this is most likely a negative `int32` or `int64`.
            self.append(number > UInt64(Int64.max) ? "\(Int64(bitPattern: number))" : "\(number)")
        case .fixed32(let bits):
            let number = Float(bitPattern: bits)
            self.append(Self.isLikely(Double(number)) ? "float \(number)" : "fixed32 \(bits)")
        case .fixed64(let bits):
            let number = Double(bitPattern: bits)
            self.append(Self.isLikely(number) ? "double \(number)" : "fixed64 \(bits)")
        case .group(let message):
            self.append("group ")
            self.writeBraces(message, depth: depth)
        case .bytes(let bytes):
            switch value.content {
            case .text(let text): JSONValue.appendQuoted(text, to: &self.text)
            case .message(let message) where depth + 1 < WireReader.depthLimit: self.writeBraces(message, depth: depth)
            default: self.writeHex(bytes)
            }
        }
    }

    private mutating func writeBraces(_ message: ProtobufMessage, depth: Int) {
        if let line = Self.line(message) {
            self.text.append(contentsOf: line)
            return
        }
        self.append("{\n")
        self.write(message, depth: depth + 1)
        self.text.append(contentsOf: repeatElement(ASCII.space, count: depth * 2))
        self.append("}")
    }

    /// A message on one line, `{ 1: "x", 2: 42 }`; `nil` if it is too long or contains messages.
    private static func line(_ message: ProtobufMessage) -> [UInt8]? {
        guard message.fields.count <= self.inlineLimit / 4 else { return nil }
        var writer = ProtobufTextWriter()
        for field in message.fields {
            switch field.value {
            case .group: return nil
            case .bytes(let bytes):
                guard bytes.count <= self.inlineLimit else { return nil }
                if case .message = field.value.content { return nil }
            case .varint, .fixed32, .fixed64: break
            }
            writer.append(writer.text.isEmpty ? "{ " : ", ")
            writer.append("\(field.number): ")
            writer.write(field.value, depth: 0)
            guard writer.text.count <= self.inlineLimit else { return nil }
        }
        writer.append(writer.text.isEmpty ? "{}" : " }")
        return writer.text
    }

    private mutating func writeHex(_ bytes: [UInt8]) {
        self.append("hex \"")
        for byte in bytes {
            self.append(String(byte >> 4, radix: 16))
            self.append(String(byte & 0x0F, radix: 16))
        }
        self.append("\"")
    }

    /// Returns true for numbers of everyday magnitude. The bits of an integer rarely form such a number.
    private static func isLikely(_ number: Double) -> Bool {
        1e-9...1e15 ~= number.magnitude
    }

    private mutating func append(_ text: String) {
        self.text.append(contentsOf: text.utf8)
    }
}
