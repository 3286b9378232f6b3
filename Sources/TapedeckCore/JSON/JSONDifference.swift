/// A difference between two JSON values, for reports.
package struct JSONDifference: Sendable, Equatable {
    /// As a JSONPath, such as `$.items[0].name`.
    package var path: String
    /// The expected value, as JSON, cut at 60 characters; `nil` if no value is expected.
    package var wanted: String?
    /// The actual value, as JSON, cut at 60 characters; `nil` if it is missing.
    package var came: String?

    package init(path: String, wanted: String?, came: String?) {
        self.path = path
        self.wanted = wanted
        self.came = came
    }

    /// The words between the place of a string that holds JSON and the path in that JSON.
    static let asJSON = " as JSON, "

    /// The path without that in a string that holds JSON.
    var outerPath: String {
        self.path.firstRange(of: Self.asJSON).map { String(self.path[..<$0.lowerBound]) } ?? self.path
    }

    init(path: String, wanted: JSONValue?, came: JSONValue?) {
        // Of two long texts, the place where they differ.
        if let wanted, let came, case let (one, other) = (wanted.compactText, came.compactText),
            min(one.count, other.count) > Self.lengthLimit, let difference = TextDifference(one, other)
        {
            self.init(path: path, wanted: difference.wanted, came: difference.came)
        } else {
            self.init(path: path, wanted: wanted.map(Self.short), came: came.map(Self.short))
        }
    }

    private static let lengthLimit = 60

    package static func short(_ value: JSONValue) -> String {
        let text = String(decoding: value.compactText, as: UTF8.self)
        let start = text.prefix(self.lengthLimit)
        return start.endIndex == text.endIndex ? text : start.dropLast() + "…"
    }

    /// The path of a member of the object at `path`.
    package static func path(_ path: String, member name: String) -> String {
        let isPlain =
            name.utf8.first.map { $0 < 0x30 || $0 > 0x39 } ?? false
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...0xFF: true
                default: false
                }
            }
        if isPlain { return "\(path).\(name)" }
        var quoted: [UInt8] = []
        JSONValue.appendQuoted(name, to: &quoted)
        guard !quoted.contains(ASCII.backslash), !quoted.contains(0x27) else {
            return "\(path)[\(String(decoding: quoted, as: UTF8.self))]"
        }
        return "\(path)['\(name)']"
    }
}
