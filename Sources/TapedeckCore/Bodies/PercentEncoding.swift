/// Undoes percent-encoding.
enum PercentEncoding {
    /// The bytes with `%` and two hex digits turned into their byte, and any other byte as `plain` says.
    static func decoded(_ bytes: some Collection<UInt8>, plain: (UInt8) -> UInt8 = { $0 }) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == ASCII.percent, let value = self.byte(rest.prefix(2)) {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(plain(byte))
            }
        }
        return decoded
    }

    private static func byte(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2, let first = digits.first.flatMap(ASCII.hexValue),
            let second = digits.dropFirst().first.flatMap(ASCII.hexValue)
        else { return nil }
        return first << 4 | second
    }
}
