/// Appends YAML text to a byte buffer.
///
/// Writes single values; the caller decides which keys and items a document has. The output reads back as the same
/// text, with our reader and with every other YAML 1.2 reader.
package struct YAMLWriter: Sendable {
    /// The bytes written so far.
    package internal(set) var bytes: [UInt8] = []

    /// Makes an empty writer with room for some bytes.
    package init(reservingCapacity capacity: Int = 0) {
        self.bytes.reserveCapacity(capacity)
    }

    /// Appends text as it is.
    package mutating func raw(_ text: StaticString) {
        guard text.hasPointerRepresentation else {
            self.bytes.append(contentsOf: text.description.utf8)
            return
        }
        self.bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
    }

    /// Appends text as it is.
    package mutating func raw(_ text: String) {
        self.bytes.append(contentsOf: text.utf8)
    }

    /// Appends bytes as they are.
    package mutating func raw(_ bytes: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Ends the line.
    package mutating func newline() {
        self.bytes.append(YAMLByte.lineFeed)
    }

    /// Appends this many spaces.
    package mutating func indent(_ count: Int) {
        self.bytes.append(contentsOf: repeatElement(YAMLByte.space, count: max(0, count)))
    }

    /// Puts the `-` of an item in place of the space at an offset: of an item that was written as a block of its own,
    /// two columns further in.
    package mutating func dash(at offset: Int) {
        self.bytes[offset] = YAMLByte.dash
    }

    /// Appends an integer.
    package mutating func int(_ value: Int) {
        self.bytes.append(contentsOf: String(value).utf8)
    }
}
