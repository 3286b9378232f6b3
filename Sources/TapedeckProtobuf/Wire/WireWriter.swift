/// Encodes fields the way protobuf implementations do, with the shortest varints.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        self.bytes.append(UInt8(value))
    }

    mutating func fixed32(_ value: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            self.bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func fixed64(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            self.bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Writes tag and value.
    mutating func field(_ number: Int, varint value: UInt64) {
        self.tag(number, 0)
        self.varint(value)
    }

    /// Writes tag and value.
    mutating func field(_ number: Int, fixed64 value: UInt64) {
        self.tag(number, 1)
        self.fixed64(value)
    }

    /// Writes tag, length and bytes.
    mutating func field(_ number: Int, bytes: some Collection<UInt8>) {
        self.tag(number, 2)
        self.varint(UInt64(bytes.count))
        self.bytes.append(contentsOf: bytes)
    }

    /// Writes the fields between the two ends of a group.
    mutating func field(_ number: Int, group fields: [UInt8]) {
        self.tag(number, 3)
        self.bytes.append(contentsOf: fields)
        self.tag(number, 4)
    }

    /// Writes tag and value.
    mutating func field(_ number: Int, fixed32 value: UInt32) {
        self.tag(number, 5)
        self.fixed32(value)
    }

    private mutating func tag(_ number: Int, _ type: UInt64) {
        self.varint(UInt64(number) << 3 | type)
    }
}
