import TapedeckCore

/// Determines if a body is text.
enum BodyInspection {
    private static let startSize = 1024

    /// By its first bytes: no control characters but those of texts, and UTF-8, or mostly ASCII.
    static func isText(_ bytes: some Collection<UInt8>) -> Bool {
        if bytes.withContiguousStorageIfAvailable({ Self.isPlain(UnsafeRawBufferPointer($0)) }) ?? false { return true }
        var start = Array(bytes.prefix(Self.startSize))
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start.removeFirst(3) }
        for byte in start where byte < 0x20 || byte == 0x7F {
            switch byte {
            case 0x08...0x0D, 0x1B, 0x1E: continue
            default: return false
            }
        }
        let others = start.count { $0 >= 0x80 }
        guard others > 0 else { return true }
        // A character may be cut off at the end.
        for cut in 0..<4 where cut < start.count || cut == 0 {
            if String(validating: start.dropLast(cut), as: UTF8.self) != nil { return true }
        }
        return others * 4 < start.count
    }

    /// Returns true if the first bytes are printable ASCII and line ends, as most texts are. Looks at eight at a time.
    private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let end = min(bytes.count, Self.startSize)
        var index = 0
        while index + 8 <= end {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // The high bit of a byte is set if it is below 0x20, above 0x7E, or follows such a byte.
            let low = word &- 0x2020_2020_2020_2020
            let high = word &+ 0x0101_0101_0101_0101
            if (word | low | high) & 0x8080_8080_8080_8080 != 0 {
                guard bytes[index..<(index + 8)].allSatisfy(Self.isPlain) else { return false }
            }
            index += 8
        }
        return bytes[index..<end].allSatisfy(Self.isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn, 0x20...0x7E: true
        default: false
        }
    }

    /// Returns true if a media type is a text type; `nil` if it does not say.
    static func isText(type: String?) -> Bool? {
        guard let type else { return nil }
        let word = ASCII.lowercased(String(type.prefix { $0 != ";" }.trimmingSpaces()))
        if word.hasPrefix("text/") || word.hasPrefix("multipart/") { return true }
        if word.hasPrefix("image/svg") { return true }
        for start in ["image/", "audio/", "video/", "font/"] where word.hasPrefix(start) { return false }
        for end in ["json", "xml", "yaml", "javascript", "x-www-form-urlencoded", "graphql", "html"]
        where word.hasSuffix(end) {
            return true
        }
        for binary in ["zip", "gzip", "x-tar", "pdf", "wasm", "grpc", "x-protobuf", "protobuf", "msgpack"]
        where word.hasSuffix("/\(binary)") {
            return false
        }
        return nil
    }

    static func isMultipart(_ type: String?) -> Bool {
        type.map { ASCII.lowercased($0).hasPrefix("multipart/") } ?? false
    }
}
