import TapedeckCore

/// A reason for which a placeholder of a text has no value.
struct UnfilledPlaceholder: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// The reason for a variable that no part of the file defines.
    static func undefined(_ name: some StringProtocol) -> Self {
        Self("'{{\(name.prefix(80))}}' has no value")
    }

    /// The reason for a value that a tool makes anew each time.
    static func dynamic(_ name: some StringProtocol) -> Self {
        Self("'{{\(name.prefix(80))}}' is a new value in each request")
    }
}

/// Fills the placeholders `{{name}}` of a text, and those in their values.
struct PlaceholderFiller {
    /// Returns the value of a name. `repeated` counts the values of this name that are being filled.
    typealias Lookup = (_ name: String, _ repeated: Int) throws(UnfilledPlaceholder) -> String

    /// The maximum nesting depth of values within values.
    private static let maximumDepth = 16
    /// The maximum size of a filled text, in bytes.
    private static let maximumSize = 16 << 20
    /// The maximum number of placeholders of a text and of their values. Values of values multiply.
    private static let maximumCount = 100_000
    /// The maximum length of a name, in bytes. Longer ones are text.
    private static let maximumName = 512

    private let lookup: Lookup
    private let isTrimmed: Bool

    /// - Parameter isTrimmed: true if spaces around a name do not count.
    init(isTrimmed: Bool = true, _ lookup: @escaping Lookup) {
        self.lookup = lookup
        self.isTrimmed = isTrimmed
    }

    /// Returns the text with the value of each placeholder in its place.
    func filled(_ text: String) throws(UnfilledPlaceholder) -> String {
        let bytes = Array(text.utf8)
        guard Self.start(in: bytes[...]) != nil else { return text }
        var output: [UInt8] = []
        var count = 0
        try self.fill(bytes, into: &output, open: [], &count)
        return String(decoding: output, as: UTF8.self)
    }

    private func fill(
        _ text: [UInt8],
        into output: inout [UInt8],
        open: [String],
        _ count: inout Int
    ) throws(UnfilledPlaceholder) {
        var rest = text[...]
        while let start = Self.start(in: rest) {
            output += rest[..<start]
            guard let end = Self.end(in: rest[(start + 2)...]) else {
                output += rest[start..<(start + 2)]
                rest = rest[(start + 2)...]
                continue
            }
            let written = String(decoding: rest[(start + 2)..<end], as: UTF8.self)
            let name = self.isTrimmed ? String(written[...].trimmingSpaces()) : written
            rest = rest[(end + 2)...]
            guard open.count < Self.maximumDepth else {
                throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' refers to itself")
            }
            count += 1
            guard count <= Self.maximumCount else {
                throw UnfilledPlaceholder(
                    "'{{\(name.prefix(80))}}' is one of more than \(Self.maximumCount) placeholders"
                )
            }
            let value = try self.lookup(name, open.count { $0 == name })
            try self.fill(Array(value.utf8), into: &output, open: open + [name], &count)
            guard output.count <= Self.maximumSize else {
                throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' makes a text of more than 16 MiB")
            }
        }
        output += rest
    }

    /// Returns the index of the next two braces.
    private static func start(in text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex
        while index + 1 < text.endIndex {
            if text[index] == UInt8(ascii: "{"), text[index + 1] == UInt8(ascii: "{") { return index }
            index += 1
        }
        return nil
    }

    /// Returns the index of the two braces that close a name at the start of a text; `nil` if no name is there.
    private static func end(in text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex
        while index < text.endIndex, index - text.startIndex <= self.maximumName {
            switch text[index] {
            case UInt8(ascii: "{"), 0x0A, 0x0D: return nil
            case UInt8(ascii: "}"):
                guard index > text.startIndex, index + 1 < text.endIndex, text[index + 1] == UInt8(ascii: "}") else {
                    return nil
                }
                return index
            default: index += 1
            }
        }
        return nil
    }
}
