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
