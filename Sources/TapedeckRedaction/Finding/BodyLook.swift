import TapedeckCore

/// Whether a body is text.
enum BodyLook {
    private static let startSize = 1024

    /// By its first bytes: no control characters but those of texts, and UTF-8, or mostly ASCII.
    static func isText(_ bytes: some Collection<UInt8>) -> Bool {
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

    /// Whether a type is that of texts; `nil` when it says neither.
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

    static func isGzip(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0x1F, 0x8B, 0x08])
    }
}
