import TapedeckCore

/// Makes JSON values and writes them in the ways that servers do.
struct RandomJSON {
    /// The white space between tokens.
    struct Spacing {
        var afterComma = ""
        var afterColon = ""
        var atEnd = ""
    }

    indirect enum Value {
        case token(String)
        case array([Value])
        case object([(key: String, value: Value)])

        func text(_ spacing: Spacing) -> String {
            switch self {
            case .token(let token):
                token
            case .array(let items):
                "[\(items.map { $0.text(spacing) }.joined(separator: ",\(spacing.afterComma)"))]"
            case .object(let members):
                "{"
                    + members.map { "\($0.key):\(spacing.afterColon)\($0.value.text(spacing))" }
                    .joined(separator: ",\(spacing.afterComma)") + "}"
            }
        }
    }

    static let numbers = [
        "0", "-0", "1", "-1", "10", "1.0", "1.10", "-0.0", "1e3", "1E3", "1e+3", "1E-03", "12345678901234567890123",
        "0.1e00", "3.141592653589793238462643383279",
    ]
    static let strings = [
        #""""#, #""a""#, #"" ""#, #""  spaced : out , ""#, #""\"""#, #""\\""#, #""\\\"""#, #""\/""#, #""\u00e9""#,
        #""\uD83D\uDE00""#, #""é日😀""#, #""\n\t\r\b\f""#, #""{\"a\": [1, 2]}""#, #""[,:]""#, #""\\\\""#,
        "\"\u{2028}\u{FEFF}\u{7F}\"",
    ]
    static let words = ["true", "false", "null"]

    static func value(depth: Int, using generator: inout SeededRandom) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 3), using: &generator) {
        case 0: return .token(self.numbers.randomElement(using: &generator) ?? "0")
        case 1: return .token(self.strings.randomElement(using: &generator) ?? "")
        case 2: return .token(self.words.randomElement(using: &generator) ?? "")
        case 3, 4, 5:
            return .object(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    (
                        self.strings.randomElement(using: &generator) ?? "",
                        self.value(depth: depth - 1, using: &generator)
                    )
                }
            )
        default:
            return .array(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                    self.value(depth: depth - 1, using: &generator)
                }
            )
        }
    }
}
