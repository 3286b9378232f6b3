/// Spellings of one value of a header field: a list with other white space around its commas, or in several lines (RFC 9110
/// section 5.6.1), an authentication scheme in another case (section 11.1), and a media type in another case, with other white
/// space or quotation marks (section 8.3.1).
enum FieldSpelling {
    /// Returns true if a condition asks for one value, and the values of a request are another spelling of it.
    ///
    /// - Parameter name: in any case.
    static func isSame(_ wanted: ValueMatcher, _ values: [String], of name: String) -> Bool {
        guard case .equals(let text) = wanted, !values.isEmpty else { return false }
        if ASCII.equalsIgnoringCase(name, "content-type"), values.count == 1, let one = HeaderParameters(text),
            let other = HeaderParameters(values[0])
        {
            return one.isSameMediaType(as: other)
        }
        let isOfScheme = ASCII.equalsIgnoringCase(name, "authorization")
        return Self.canonical([text], isOfScheme).isSameText(as: Self.canonical(values, isOfScheme))
    }

    private static func canonical(_ values: [String], _ isOfScheme: Bool) -> String {
        if isOfScheme, values.count == 1 {
            let scheme = values[0].prefix { $0 != " " }
            return ASCII.lowercased(String(scheme)) + values[0].dropFirst(scheme.count)
        }
        return values.joined(separator: ",").split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingSpaces() }.joined(separator: ",")
    }
}
