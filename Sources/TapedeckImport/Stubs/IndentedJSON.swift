import TapedeckCore

/// JSON as `JSON.stringify` writes it over several lines.
enum IndentedJSON {
    /// Returns JSON without white space in lines, each indented by a number of spaces for each level.
    static func text(_ json: [UInt8], spaces: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count * 2)
        var depth = 0
        var isInText = false
        var isEscaped = false
        func breakLine() {
            result.append(UInt8(ascii: "\n"))
            result += Array(repeating: UInt8(ascii: " "), count: depth * spaces)
        }
        for (index, byte) in json.enumerated() {
            if isInText {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                result.append(byte)
                depth += 1
                let next = index + 1 < json.count ? json[index + 1] : 0
                if next != UInt8(ascii: "}"), next != UInt8(ascii: "]") { breakLine() }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                let last = index > 0 ? json[index - 1] : 0
                if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { breakLine() }
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                breakLine()
            case UInt8(ascii: ":"):
                result += [byte, UInt8(ascii: " ")]
            default:
                if byte == UInt8(ascii: "\"") { isInText = true }
                result.append(byte)
            }
        }
        return result
    }
}
