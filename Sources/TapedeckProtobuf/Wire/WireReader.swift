/// Reads the fields of an encoded message one after the other, without copies.
///
/// The format is described at protobuf.dev/programming-guides/encoding. A group is one field, including its end tag.
struct WireReader {
    /// The maximum depth of nested messages and groups, so that no input exhausts the stack. Other implementations
    /// have the same limit.
    static let depthLimit = 100
    /// The largest field number.
    static let maximumNumber = 0x1FFF_FFFF

    /// A field value. Ranges refer to the reader's bytes.
    enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        /// A string, bytes, a message or a packed list.
        case bytes(Range<Int>)
        /// The fields between the start and end tags of a group.
        case group(Range<Int>)
        case fixed32(UInt32)
    }

    struct Field {
        let number: Int
        let value: Value
    }

    let bytes: [UInt8]
    private(set) var index: Int
    private let end: Int

    init(_ bytes: [UInt8]) {
        self.init(bytes, in: 0..<bytes.count)
    }

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        self.index = range.lowerBound
        self.end = range.upperBound
    }

    var isAtEnd: Bool { self.index == self.end }

    /// Returns the next field; `nil` at the end.
    mutating func next() throws(WireError) -> Field? {
        guard !self.isAtEnd else { return nil }
        let start = self.index
        let (number, type) = try self.tag()
        let value: Value
        switch type {
        case 0: value = .varint(try self.varint())
        case 1: value = .fixed64(try self.fixed64())
        case 2: value = .bytes(try self.delimited())
        case 3: value = .group(try self.group(number))
        case 5: value = .fixed32(try self.fixed32())
        default: throw WireError(offset: start)
        }
        return Field(number: number, value: value)
    }

    /// Reads a varint of at most ten bytes, the tenth of which holds one bit.
    mutating func varint() throws(WireError) -> UInt64 {
        let start = self.index
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while self.index < self.end {
            let byte = self.bytes[self.index]
            self.index += 1
            guard shift < 63 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw WireError(offset: start)
    }

    mutating func fixed32() throws(WireError) -> UInt32 {
        UInt32(truncatingIfNeeded: try self.littleEndian(4))
    }

    mutating func fixed64() throws(WireError) -> UInt64 {
        try self.littleEndian(8)
    }

    private mutating func littleEndian(_ count: Int) throws(WireError) -> UInt64 {
        guard self.end - self.index >= count else { throw WireError(offset: self.index) }
        var value: UInt64 = 0
        for position in (0..<count).reversed() {
            value = value << 8 | UInt64(self.bytes[self.index + position])
        }
        self.index += count
        return value
    }

    private mutating func delimited() throws(WireError) -> Range<Int> {
        let start = self.index
        let count = try self.varint()
        guard count <= UInt64(self.end - self.index) else { throw WireError(offset: start) }
        let range = self.index..<self.index + Int(count)
        self.index = range.upperBound
        return range
    }

    private mutating func tag() throws(WireError) -> (number: Int, type: UInt64) {
        let start = self.index
        let tag = try self.varint()
        // A tag has 32 bits and therefore at most five bytes.
        guard tag <= UInt64(UInt32.max), tag >> 3 > 0, self.index - start <= 5 else { throw WireError(offset: start) }
        return (Int(tag >> 3), tag & 7)
    }

    /// Reads up to the end tag of the group whose start tag has been read.
    private mutating func group(_ number: Int) throws(WireError) -> Range<Int> {
        let start = self.index
        var open = [number]
        while let innermost = open.last {
            let tagStart = self.index
            let (number, type) = try self.tag()
            switch type {
            case 0: _ = try self.varint()
            case 1: _ = try self.fixed64()
            case 2: _ = try self.delimited()
            case 3 where open.count < Self.depthLimit: open.append(number)
            case 4 where number == innermost:
                open.removeLast()
                if open.isEmpty { return start..<tagStart }
            case 5: _ = try self.fixed32()
            default: throw WireError(offset: tagStart)
            }
        }
        throw WireError(offset: start)
    }
}

/// An encoded message is malformed or cut off.
struct WireError: Error, Sendable, Equatable {
    /// The offset of the tag or value that is wrong or cut off.
    var offset: Int
}
