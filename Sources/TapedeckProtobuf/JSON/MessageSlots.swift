/// The fields of a message, combined as a receiver does: the last value of a field counts, lists grow, messages merge,
/// and only the last field of a oneof remains.
struct MessageSlots {
    /// A value other than a message.
    enum Scalar {
        /// Truncated to the width of the type, and sign-extended for signed types.
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        /// A string or bytes.
        case bytes([UInt8])

        /// True for zero and empty values, which fields without presence do not send. Negative zero is sent.
        var isDefault: Bool {
            switch self {
            case .varint(let value): value == 0
            case .fixed64(let value): value == 0
            case .fixed32(let value): value == 0
            case .bytes(let bytes): bytes.isEmpty
            }
        }
    }

    /// The values of a field. Only a list has more than one.
    struct Slot {
        let field: FieldDescriptor
        /// Empty for messages.
        var scalars: [Scalar] = []
        /// The encoded fields of each message.
        var messages: [[UInt8]] = []
    }

    /// The fields in the order of their first occurrence; `nil` for a field that a later one of its oneof replaced.
    private var list: [Slot?] = []
    private var indices: [Int: Int] = [:]
    /// The number of the field that is set in each oneof.
    private var chosen: [Int: Int] = [:]

    /// True if it has fields, or values of closed enums, that the descriptor does not know.
    private(set) var hasUnknown = false

    /// Decodes a message, and skips unknown fields.
    init(_ message: MessageDescriptor, _ reader: WireReader, _ pool: DescriptorPool) throws(WireError) {
        var reader = reader
        while let read = try reader.next() {
            guard let field = message.field(read.number) else {
                self.hasUnknown = true
                continue
            }
            switch (read.value, field.kind) {
            case (.bytes(let range), .string), (.bytes(let range), .bytes):
                let bytes = Array(reader.bytes[range])
                // A receiver rejects the message even if a later value replaces this one.
                if field.kind == .string, field.validatesUTF8, String(validating: bytes, as: UTF8.self) == nil {
                    throw WireError(offset: range.lowerBound)
                }
                self.add(.bytes(bytes), to: field)
            case (.bytes(let range), .message), (.group(let range), .group):
                self.add(message: reader.bytes[range], to: field)
            case (.bytes(let range), _) where field.isRepeated && field.kind.isPackable:
                var packed = WireReader(reader.bytes, in: range)
                while !packed.isAtEnd { self.add(try Self.packedScalar(field.kind, &packed), to: field, pool) }
            case (.varint(let value), _) where field.kind.wireType == 0:
                self.add(field.kind.truncated(value), to: field, pool)
            case (.fixed64(let value), _) where field.kind.wireType == 1: self.add(.fixed64(value), to: field)
            case (.fixed32(let value), _) where field.kind.wireType == 5: self.add(.fixed32(value), to: field)
            // Of another type than the descriptor says.
            default: self.hasUnknown = true
            }
        }
    }

    /// All fields that are set, in the order of their first occurrence.
    var slots: [Slot] { self.list.compactMap { $0 } }

    /// The values of a field; `nil` if it is not set.
    subscript(number: Int) -> Slot? {
        self.indices[number].flatMap { self.list[$0] }
    }

    // MARK: Adding values

    /// Adds a value, except undefined values of closed enums.
    private mutating func add(_ scalar: Scalar, to field: FieldDescriptor, _ pool: DescriptorPool) {
        if case .enum(let index) = field.kind, case .varint(let value) = scalar, !pool.enums[index].isOpen,
            pool.enums[index].namesByNumber[Int32(truncatingIfNeeded: value)] == nil
        {
            self.hasUnknown = true
            return
        }
        self.add(scalar, to: field)
    }

    private mutating func add(_ scalar: Scalar, to field: FieldDescriptor) {
        let index = self.slot(of: field)
        if field.isRepeated {
            self.list[index]?.scalars.append(scalar)
        } else {
            self.list[index]?.scalars = [scalar]
        }
    }

    private mutating func add(message: ArraySlice<UInt8>, to field: FieldDescriptor) {
        let index = self.slot(of: field)
        if field.isRepeated || self.list[index]?.messages.isEmpty ?? true {
            self.list[index]?.messages.append(Array(message))
        } else {
            // Concatenating encoded messages merges them.
            self.list[index]?.messages[0].append(contentsOf: message)
        }
    }

    /// Returns the index of a field's slot, and creates the slot if necessary. Clears other fields of the same oneof.
    private mutating func slot(of field: FieldDescriptor) -> Int {
        if let oneof = field.oneof {
            if let former = self.chosen[oneof], former != field.number,
                let index = self.indices.removeValue(forKey: former)
            {
                self.list[index] = nil
            }
            self.chosen[oneof] = field.number
        }
        if let index = self.indices[field.number] { return index }
        self.indices[field.number] = self.list.count
        self.list.append(Slot(field: field))
        return self.list.count - 1
    }

    private static func packedScalar(
        _ kind: FieldDescriptor.Kind,
        _ reader: inout WireReader
    ) throws(WireError) -> Scalar {
        switch kind.wireType {
        case 1: .fixed64(try reader.fixed64())
        case 5: .fixed32(try reader.fixed32())
        default: kind.truncated(try reader.varint())
        }
    }
}

extension FieldDescriptor.Kind {
    /// Returns a varint truncated to the width of the type.
    fileprivate func truncated(_ value: UInt64) -> MessageSlots.Scalar {
        switch self {
        case .bool: .varint(value == 0 ? 0 : 1)
        case .int32, .enum: .varint(UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: value))))
        case .uint32, .sint32: .varint(value & 0xFFFF_FFFF)
        default: .varint(value)
        }
    }

    /// The wire type of a value that is not packed.
    var wireType: UInt8 {
        switch self {
        case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool, .enum: 0
        case .fixed64, .sfixed64, .double: 1
        case .string, .bytes, .message: 2
        case .group: 3
        case .fixed32, .sfixed32, .float: 5
        }
    }
}
