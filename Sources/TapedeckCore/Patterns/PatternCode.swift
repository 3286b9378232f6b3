internal import CPCRE2

/// Owns one `pcre2_code`.
// Proof of @unchecked Sendable: the pointer never changes, and PCRE2 changes a code only while it compiles it, which is over
// when this object is made; what a match needs to write is in the match data and the match context.
final class PatternCode: @unchecked Sendable {
    let pointer: OpaquePointer
    /// True if machine code was made; without it PCRE2 interprets the pattern.
    let isJIT: Bool
    /// The costs of the pattern's items, if callouts were requested.
    let costs: PatternCosts?

    enum Kind {
        /// For inspection only.
        case unfinished
        /// Only the match limit bounds its work.
        case plain
        /// Calls out before every item, so that work can be counted.
        case guarded
    }

    init(_ syntax: PatternSyntax, options: UInt32, _ kind: Kind) throws(PatternError) {
        var fault: Int32 = 0
        var offset = 0
        // PCRE2 takes a null pointer for no pattern at all, even where the length is 0.
        let source = syntax.bytes + [0]
        let callouts = kind == .plain ? 0 : UInt32(PCRE2_AUTO_CALLOUT)
        let code = source.withUnsafeBufferPointer {
            pcre2_compile_8($0.baseAddress, syntax.bytes.count, options | callouts, &fault, &offset, nil)
        }
        guard let code else {
            throw PatternError(Self.text(of: fault), atCharacter: syntax.characters(before: offset))
        }
        self.pointer = code
        self.isJIT = kind != .unfinished && pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE)) == 0
        self.costs = kind == .plain ? nil : PatternCosts(code, syntax)
    }

    deinit {
        pcre2_code_free_8(self.pointer)
    }

    /// The size of the compiled pattern in bytes, without its machine code.
    var size: Int {
        var size = 0
        pcre2_pattern_info_8(self.pointer, UInt32(PCRE2_INFO_SIZE), &size)
        return size
    }

    var captureCount: Int {
        var count: UInt32 = 0
        pcre2_pattern_info_8(self.pointer, UInt32(PCRE2_INFO_CAPTURECOUNT), &count)
        return Int(count)
    }

    /// Returns the names and their capture numbers, in order of the first number.
    func captureNames() -> [(name: String, numbers: [Int])] {
        var count: UInt32 = 0
        var entrySize: UInt32 = 0
        var table: UnsafePointer<UInt8>?
        pcre2_pattern_info_8(self.pointer, UInt32(PCRE2_INFO_NAMECOUNT), &count)
        pcre2_pattern_info_8(self.pointer, UInt32(PCRE2_INFO_NAMEENTRYSIZE), &entrySize)
        pcre2_pattern_info_8(self.pointer, UInt32(PCRE2_INFO_NAMETABLE), &table)
        guard let table else { return [] }
        var numbers: [String: [Int]] = [:]
        for entry in 0..<Int(count) {
            // Two bytes of number, then the name and a zero.
            let start = table + entry * Int(entrySize)
            let name = UnsafeBufferPointer(start: start + 2, count: Int(entrySize) - 2).prefix { $0 != 0 }
            numbers[String(decoding: name, as: UTF8.self), default: []].append(Int(start[0]) << 8 | Int(start[1]))
        }
        return
            numbers
            .map { (name: $0.key, numbers: $0.value.sorted()) }
            .sorted { $0.numbers.lexicographicallyPrecedes($1.numbers) }
    }

    private static func text(of fault: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = buffer.withUnsafeMutableBufferPointer {
            pcre2_get_error_message_8(fault, $0.baseAddress, $0.count)
        }
        guard count > 0 else { return "not a regular expression" }
        return String(decoding: buffer.prefix(Int(count)), as: UTF8.self)
    }
}
