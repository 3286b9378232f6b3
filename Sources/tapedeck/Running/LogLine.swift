import Logging
import TapedeckPlatform

/// One line of a log as JSON (RFC 8259): `time`, `level`, `message`, `logger`, and further fields.
struct LogLine {
    /// The value of a field.
    indirect enum Value {
        case text(String)
        case number(Int)
        case list([Value])
        case object([(String, Value)])
    }

    /// The fields that every line has.
    private static let own: Set<String> = ["time", "level", "message", "logger"]

    private var text: String

    /// - Parameters:
    ///   - time: since 1970, in milliseconds; `nil` is now.
    ///   - fields: one that is called like one of a line's own gets an underscore behind its name; of two with the same
    ///     name the first counts.
    init(
        time: Int64? = nil,
        level: Logger.Level,
        message: String,
        logger: String,
        fields: [(String, Value)] = []
    ) {
        self.text = "{\"time\":\"\(Self.rfc3339(time ?? Self.now))\",\"level\":\"\(level.rawValue)\",\"message\":"
        self.write(message)
        self.text += ",\"logger\":"
        self.write(logger)
        var names = Self.own
        for (name, value) in fields {
            let name = Self.own.contains(name) ? name + "_" : name
            guard names.insert(name).inserted else { continue }
            self.text += ","
            self.write(name)
            self.text += ":"
            self.write(value)
        }
        self.text += "}"
    }

    /// Without the end of the line.
    var json: String { self.text }

    private mutating func write(_ value: Value) {
        switch value {
        case .text(let text): self.write(text)
        case .number(let number): self.text += String(number)
        case .list(let values):
            self.text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { self.text += "," }
                self.write(value)
            }
            self.text += "]"
        case .object(let members):
            self.text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { self.text += "," }
                self.write(member.0)
                self.text += ":"
                self.write(member.1)
            }
            self.text += "}"
        }
    }

    private mutating func write(_ text: String) {
        self.text += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self.text += "\\\""
            case "\\": self.text += "\\\\"
            case "\n": self.text += "\\n"
            case "\r": self.text += "\\r"
            case "\t": self.text += "\\t"
            // Those below U+0020 must be escaped; the others end a line for some readers, or steer a terminal.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                self.text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: self.text.unicodeScalars.append(scalar)
            }
        }
        self.text += "\""
    }

    // MARK: Time

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// RFC 3339, in UTC, to the millisecond.
    private static func rfc3339(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int64, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        func two(_ number: Int32) -> String { digits(Int64(number), 2) }
        return "\(digits(Int64(parts.tm_year) + 1_900, 4))-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(digits(milliseconds % 1_000, 3))Z"
    }
}

extension LogLine.Value {
    /// Metadata as it is: lists and dictionaries keep their shape.
    init(_ metadata: Logger.MetadataValue) {
        self =
            switch metadata {
            case .string(let text): .text(text)
            case .stringConvertible(let value): (value as? Int).map(Self.number) ?? .text("\(value)")
            case .array(let values): .list(values.map(Self.init))
            case .dictionary(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, Self($0.value)) })
            }
    }
}
