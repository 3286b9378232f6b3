/// A value of mitmproxy's flow files: `LENGTH:payload TYPE`, where the payload of lists and dictionaries is more of them.
indirect enum TypedNetstring {
    case bytes(ArraySlice<UInt8>)
    case text(ArraySlice<UInt8>)
    case integer(Int)
    case float(Double)
    case boolean(Bool)
    case null
    case list([TypedNetstring])
    case dictionary([(key: ArraySlice<UInt8>, value: TypedNetstring)])

    /// The maximum nesting depth of lists and dictionaries.
    static let maximumDepth = 64

    /// Reads the value that begins at an offset, which moves behind it.
    ///
    /// - Throws: ``ForeignError``, whose line is 1 and whose column is the offset counted from 1.
    init(_ bytes: ArraySlice<UInt8>, at offset: inout Int, depth: Int = 0) throws(ForeignError) {
        guard depth < Self.maximumDepth else {
            throw ForeignError(message: "values stand too deep in each other", line: 1, column: offset + 1)
        }
        let start = offset
        var length = 0
        var digits = 0
        while offset < bytes.endIndex, (0x30...0x39).contains(bytes[offset]) {
            digits += 1
            guard digits <= 12 else { throw ForeignError(message: "a length is too long", line: 1, column: start + 1) }
            length = length * 10 + Int(bytes[offset] - 0x30)
            offset += 1
        }
        guard digits > 0, offset < bytes.endIndex, bytes[offset] == 0x3A else {
            throw ForeignError(message: "no typed netstring begins here", line: 1, column: start + 1)
        }
        let first = offset + 1
        guard length < bytes.endIndex - first else {
            throw ForeignError(message: "the file ends within a value of \(length) bytes", line: 1, column: start + 1)
        }
        let payload = bytes[first..<(first + length)]
        offset = first + length + 1
        self = try Self.value(payload, type: bytes[first + length], start: start, depth: depth)
    }

    private static func value(
        _ payload: ArraySlice<UInt8>,
        type: UInt8,
        start: Int,
        depth: Int
    ) throws(ForeignError) -> TypedNetstring {
        let word = payload.count <= 64 ? String(decoding: payload, as: UTF8.self) : ""
        switch type {
        case UInt8(ascii: ","): return .bytes(payload)
        case UInt8(ascii: ";"): return .text(payload)
        case UInt8(ascii: "#"):
            if let number = Int(word) { return .integer(number) }
        case UInt8(ascii: "^"):
            if let number = Double(word) { return .float(number) }
        case UInt8(ascii: "!"): return .boolean(word == "true")
        case UInt8(ascii: "~"): return .null
        case UInt8(ascii: "]"):
            var items: [TypedNetstring] = []
            var offset = payload.startIndex
            while offset < payload.endIndex { items.append(try Self(payload, at: &offset, depth: depth + 1)) }
            return .list(items)
        case UInt8(ascii: "}"):
            var members: [(key: ArraySlice<UInt8>, value: TypedNetstring)] = []
            var offset = payload.startIndex
            while offset < payload.endIndex {
                let key = try Self(payload, at: &offset, depth: depth + 1)
                guard let name = key.slice else { break }
                members.append((name, try Self(payload, at: &offset, depth: depth + 1)))
            }
            return .dictionary(members)
        default: break
        }
        throw ForeignError(message: "a value has a type that is not known", line: 1, column: start + 1)
    }

    /// The value of a key of a dictionary; keys are text, or bytes in files of Python 2.
    subscript(_ key: String) -> TypedNetstring? {
        guard case .dictionary(let members) = self else { return nil }
        return members.first { $0.key.elementsEqual(key.utf8) }?.value
    }

    private var slice: ArraySlice<UInt8>? {
        switch self {
        case .bytes(let bytes), .text(let bytes): bytes
        default: nil
        }
    }

    /// The bytes of a text or of bytes; `nil` for every other value.
    var bytes: [UInt8]? { self.slice.map(Array.init) }

    /// The text of a text or of bytes; `nil` for every other value.
    var string: String? { self.slice.map { String(decoding: $0, as: UTF8.self) } }

    var items: [TypedNetstring] {
        if case .list(let items) = self { items } else { [] }
    }

    var int: Int? {
        switch self {
        case .integer(let number): number
        case .float(let number) where number.rounded() == number && abs(number) < 1e15: Int(number)
        default: nil
        }
    }

    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
