import GRPCCore

/// The coding of `google.protobuf.StringValue`, which spares this package the generator of protobuf.
struct StringValue: MessageSerializer, MessageDeserializer {
    struct Malformed: Error {}

    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes {
        guard !message.isEmpty else { return Bytes([]) }
        var bytes: [UInt8] = [0x0A]
        var count = message.utf8.count
        while count > 0x7F {
            bytes.append(UInt8(count & 0x7F) | 0x80)
            count >>= 7
        }
        bytes.append(UInt8(count))
        bytes += message.utf8
        return Bytes(bytes)
    }

    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) throws -> String {
        try serializedMessageBytes.withUnsafeBytes { bytes in
            guard let tag = bytes.first else { return "" }
            let length = bytes.dropFirst().prefix { $0 > 0x7F }.count + 1
            guard tag == 0x0A, bytes.count > length else { throw Malformed() }
            return String(decoding: bytes.dropFirst(1 + length), as: UTF8.self)
        }
    }
}
