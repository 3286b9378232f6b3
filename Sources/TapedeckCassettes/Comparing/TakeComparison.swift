package import TapedeckCore

/// Compares two answers to the same request, and separates changes of shape from changes of values.
///
/// Ignored are the order and case of header fields, the spelling of JSON, and fields that do not describe the answer,
/// such as Date and Content-Length.
package struct TakeComparison {
    /// The maximum number of values of one body that are reported. 100.
    package static let valueLimit = 100

    private let ignored: MatchingRules
    private var differences: [TakeDifference] = []

    private init(ignoring ignored: MatchingRules) {
        self.ignored = ignored
    }

    /// Returns the differences of `new` from `old`: shapes first, in the order of status, header fields, body.
    ///
    /// A body in a file is compared by the file's name, which contains a digest; callers that need more load it into
    /// the take first.
    ///
    /// - Parameter ignored: header fields and places in JSON that do not count.
    package static func differences(
        _ old: Take,
        _ new: Take,
        ignoring ignored: MatchingRules = MatchingRules()
    ) -> [TakeDifference] {
        var comparison = TakeComparison(ignoring: ignored)
        comparison.compareStatus(old, new)
        if !old.isFaultAlone, !new.isFaultAlone {
            comparison.compareHeaders(old.headers, new.headers)
            comparison.compareContents(ComparedBody(old), ComparedBody(new))
        }
        return comparison.differences.filter { $0.kind == .shape } + comparison.differences.filter { $0.kind == .value }
    }

    private mutating func note(_ kind: TakeDifference.Kind, _ place: String, _ old: String?, _ new: String?) {
        self.differences.append(TakeDifference(kind, place, old: old, new: new))
    }

    // MARK: Status

    private mutating func compareStatus(_ old: Take, _ new: Take) {
        let (oldText, newText) = (Self.status(of: old), Self.status(of: new))
        if oldText != newText { self.note(.shape, "status", oldText, newText) }
        if !old.isFaultAlone, !new.isFaultAlone, old.faultText != new.faultText {
            self.note(.shape, "fault", old.faultText, new.faultText)
        }
    }

    private static func status(of take: Take) -> String {
        take.isFaultAlone ? "fault \(take.faultText ?? "")" : String(take.status)
    }

    // MARK: Header fields

    private mutating func compareHeaders(_ old: [HeaderField], _ new: [HeaderField]) {
        let (oldValues, newValues) = (Self.values(of: old), Self.values(of: new))
        for name in HeaderNoise.names(of: old + new) where !self.ignores(header: name) {
            let place = "header \(name)"
            switch (oldValues[name], newValues[name]) {
            case (let old?, let new?) where old != new:
                let isShape = name == "content-type" && Self.mediaType(old) != Self.mediaType(new)
                self.note(isShape ? .shape : .value, place, Self.short(old), Self.short(new))
            case (let old?, nil):
                HeaderNoise.comesAndGoes(name)
                    ? self.note(.value, place, Self.short(old), nil) : self.note(.shape, place, "", nil)
            case (nil, let new?):
                HeaderNoise.comesAndGoes(name)
                    ? self.note(.value, place, nil, Self.short(new)) : self.note(.shape, place, nil, "")
            default: break
            }
        }
    }

    private func ignores(header name: String) -> Bool {
        self.ignored.ignoredHeaders.contains { ASCII.equalsIgnoringCase($0, name) }
    }

    /// The values of each field, by its name in lower case.
    private static func values(of fields: [HeaderField]) -> [String: String] {
        var values: [String: String] = [:]
        for field in fields {
            let name = ASCII.lowercased(field.name)
            values[name] = values[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return values
    }

    /// Type and charset, without regard to case and spaces.
    private static func mediaType(_ value: String) -> String {
        ASCII.lowercased(value).filter { $0 != " " && $0 != "\"" }
    }

    static func short(_ text: String) -> String {
        let start = text.prefix(60)
        return start.endIndex == text.endIndex ? text : start.dropLast() + "…"
    }

    // MARK: Bodies

    private mutating func compareContents(_ old: ComparedBody, _ new: ComparedBody) {
        switch (old, new) {
        case (.none, .none): break
        case (.json(let old), .json(let new)): self.compareJSON(old, new)
        case (.json, .text), (.json, .bytes), (.text, .json), (.bytes, .json):
            self.note(.shape, "body", old.kind, new.kind)
        case (.none, _): self.note(.shape, "body", nil, new.kind)
        case (_, .none): self.note(.shape, "body", old.kind, nil)
        default: if old != new { self.note(.value, "body", old.summary, new.summary) }
        }
    }

    private mutating func compareJSON(_ old: JSONValue, _ new: JSONValue) {
        let rules = JSONComparison(ignoredPaths: self.ignored.ignoredJSON)
        let (old, new) = (rules.counting(old), rules.counting(new))
        var shapes = JSONShapeComparison()
        shapes.compare(JSONShape(of: old), JSONShape(of: new), at: "$")
        var values = JSONValueComparison(told: shapes.told, limit: Self.valueLimit)
        values.compare(old, new)
        self.differences += shapes.differences + values.differences
    }
}
