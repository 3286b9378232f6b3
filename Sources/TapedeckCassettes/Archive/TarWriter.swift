/// Writes the headers of a tar archive: ustar (POSIX.1-1988), with a pax header (POSIX.1-2001) before what it has no room
/// for. The same entries give the same bytes, on every machine.
package enum TarWriter {
    /// Returns the header before a file's content; ``padding(_:)`` comes after it.
    package static func header(_ entry: TarEntry) -> [UInt8] {
        var records: [UInt8] = []
        var place = Self.place(entry.path)
        if place == nil {
            records += Self.record("path", entry.path)
            // For a reader that knows no pax headers.
            place = (prefix: [], name: Self.plain(entry.path))
        }
        if let precondition = entry.precondition { records += Self.record(TarEntry.preconditionKey, precondition) }
        let own = Self.block(place ?? ([], []), size: entry.size, modified: entry.modified, type: "0")
        guard !records.isEmpty else { return own }
        let name = Array("PaxHeaders/".utf8) + Self.plain(FilePath.name(of: entry.path)).prefix(80)
        let pax = Self.block(([], name), size: records.count, modified: entry.modified, type: "x")
        return pax + records + Self.padding(records.count) + own
    }

    /// Zeros that fill the last block of a content.
    package static func padding(_ size: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: TarEntry.padding(size))
    }

    /// The end of an archive.
    package static let end = [UInt8](repeating: 0, count: 2 * TarEntry.blockSize)

    /// The path in the two fields that there are for it; `nil` when it does not fit.
    private static func place(_ path: String) -> (prefix: [UInt8], name: [UInt8])? {
        let bytes = Array(path.utf8)
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        if bytes.count <= 100 { return ([], bytes) }
        // The slash between the fields is not written.
        for index in bytes.indices where bytes[index] == UInt8(ascii: "/") && index <= 155 {
            let name = bytes[(index + 1)...]
            if index > 0, !name.isEmpty, name.count <= 100 { return (Array(bytes[..<index]), Array(name)) }
        }
        return nil
    }

    private static func plain(_ path: String) -> [UInt8] {
        Array(path.utf8.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "_") }.prefix(100))
    }

    /// `LENGTH KEY=VALUE`, where the length counts its own digits.
    private static func record(_ key: String, _ value: String) -> [UInt8] {
        let rest = Array(" \(key)=\(value)\n".utf8)
        var length = rest.count
        while String(length).utf8.count + rest.count != length { length = String(length).utf8.count + rest.count }
        return Array(String(length).utf8) + rest
    }

    private static func block(
        _ place: (prefix: [UInt8], name: [UInt8]),
        size: Int,
        modified: Int64,
        type: Unicode.Scalar
    ) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: TarEntry.blockSize)
        func put(_ bytes: some Collection<UInt8>, at offset: Int) {
            for (index, byte) in zip(offset..., bytes) { block[index] = byte }
        }
        func octal(_ number: Int64, _ digits: Int) -> [UInt8] {
            let text = String(max(0, min(number, (1 << (3 * Int64(digits))) - 1)), radix: 8)
            return Array((String(repeating: "0", count: digits - text.utf8.count) + text).utf8)
        }
        put(place.name, at: 0)
        put(octal(0o644, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(Int64(size), 11), at: 124)
        put(octal(modified, 11), at: 136)
        put(repeatElement(UInt8(ascii: " "), count: 8), at: 148)
        put([UInt8(ascii: type)], at: 156)
        put(Array("ustar\0".utf8) + Array("00".utf8), at: 257)
        put(octal(0, 7), at: 329)
        put(octal(0, 7), at: 337)
        put(place.prefix, at: 345)
        let sum = block.reduce(Int64(0)) { $0 + Int64($1) }
        put(octal(sum, 6) + [0, UInt8(ascii: " ")], at: 148)
        return block
    }
}
