/// A body of the type `application/x-www-form-urlencoded` (WHATWG URL, section 5.1).
package enum FormBody {
    package static let mediaType = "application/x-www-form-urlencoded"

    /// Names and values in their order, percent-encoding and `+` decoded, as ``ByteText``. A name without `=` has an
    /// empty value; a `%` without two hex digits after it is literal.
    package static func parse(_ bytes: UnsafeRawBufferPointer) -> [(name: String, value: String)] {
        bytes.split(separator: ASCII.ampersand).map { pair in
            let name = pair.prefix { $0 != ASCII.equals }
            return (self.decoded(name), self.decoded(pair[name.endIndex...].dropFirst()))
        }
    }

    private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        guard bytes.contains(where: { $0 == ASCII.percent || $0 == 0x2B }) else {
            return ByteText.string(from: UnsafeRawBufferPointer(rebasing: bytes))
        }
        return ByteText.string(from: PercentEncoding.decoded(bytes) { $0 == 0x2B ? ASCII.space : $0 })
    }
}
