/// Moves the dates of a recorded response by the time since its recording.
package enum ResponseDates {
    /// Moves `Date`, `Expires` and `Last-Modified`, and `Expires` inside `Set-Cookie`. Everything else stays byte for
    /// byte, including values that are not dates, such as `Expires: 0`.
    package static func shift(_ fields: [HeaderField], byMilliseconds milliseconds: Int64) -> [HeaderField] {
        fields.map { field in
            var field = field
            if field.isNamed("date") || field.isNamed("expires") || field.isNamed("last-modified") {
                field.value = self.shift(field.value[...], byMilliseconds: milliseconds)
            } else if field.isNamed("set-cookie") {
                field.value = self.shiftCookie(field.value, byMilliseconds: milliseconds)
            }
            return field
        }
    }

    private static func shift(_ value: Substring, byMilliseconds milliseconds: Int64) -> String {
        DatedText(String(value))?.shifted(byMilliseconds: milliseconds) ?? String(value)
    }

    /// RFC 6265 section 5.2: attributes follow semicolons, their names are case-insensitive, and white space around
    /// names and values is ignored.
    private static func shiftCookie(_ value: String, byMilliseconds milliseconds: Int64) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return value }
        let shifted = parts.enumerated().map { index, part -> String in
            guard index > 0, let equals = part.firstIndex(of: "="),
                ASCII.equalsIgnoringCase(String(part[..<equals].trimmingSpaces()), "expires")
            else { return String(part) }
            let behind = part[part.index(after: equals)...]
            let date = behind.trimmingSpaces()
            guard !date.isEmpty else { return String(part) }
            let moved = self.shift(date, byMilliseconds: milliseconds)
            return part[..<date.startIndex] + moved + part[date.endIndex...]
        }
        return shifted.joined(separator: ";")
    }
}

extension ResponseDates {
    /// Moves what the paths select in a JSON body: texts that are dates (``DatedText``), and numbers, or texts of
    /// digits, that are seconds (10 digits) or milliseconds (13 digits) since 1970. Anything else stays.
    package static func shift(
        _ json: JSONValue,
        at paths: [JSONPath],
        byMilliseconds milliseconds: Int64
    ) -> JSONValue {
        paths.reduce(json) { json, path in
            path.mapping(json) { self.shifted($0, byMilliseconds: milliseconds) }
        }
    }

    private static func shifted(_ value: JSONValue, byMilliseconds milliseconds: Int64) -> JSONValue {
        switch value {
        case .string(let text):
            let moved =
                DatedText(text)?.shifted(byMilliseconds: milliseconds)
                ?? DatedText.shiftedNumber(text, byMilliseconds: milliseconds)
            return moved.map(JSONValue.string) ?? value
        case .number(let number):
            let moved = DatedText.shiftedNumber(number.spelling, byMilliseconds: milliseconds).flatMap(JSONNumber.init)
            return moved.map(JSONValue.number) ?? value
        default: return value
        }
    }
}
