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

    /// Returns the fields with cookies that have ended since they were recorded moved along, so that they are as long before
    /// their end as they were then.
    package static func renewCookies(_ fields: [HeaderField], recorded: Instant, now: Instant) -> [HeaderField] {
        fields.map { field in
            guard field.isNamed("set-cookie"), let end = self.end(ofCookie: field.value), recorded < end, end <= now
            else {
                return field
            }
            let age = now.milliseconds - recorded.milliseconds
            return HeaderField(field.name, self.shiftCookie(field.value, byMilliseconds: age))
        }
    }

    /// The first end of a cookie that was valid when it was recorded; `nil` if there is none.
    package static func firstCookieEnd(_ fields: [HeaderField], recorded: Instant) -> Instant? {
        fields.lazy.filter { $0.isNamed("set-cookie") }.compactMap { self.end(ofCookie: $0.value) }
            .filter { recorded < $0 }.min()
    }

    /// Returns `nil` for a cookie that ends with its session or after a span (RFC 6265 section 5.3).
    private static func end(ofCookie value: String) -> Instant? {
        var end: Instant?
        for part in value.split(separator: ";").dropFirst() {
            let name = part.prefix { $0 != "=" }
            switch ASCII.lowercased(String(name.trimmingSpaces())) {
            case "max-age": return nil
            case "expires": end = DatedText(String(part.dropFirst(name.count + 1).trimmingSpaces()))?.instant
            default: break
            }
        }
        return end
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
