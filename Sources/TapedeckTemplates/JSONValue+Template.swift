import TapedeckCore

extension JSONValue {
    /// This as a value of a template. Arrays and objects are written as JSON without white space.
    ///
    /// - Parameter writesNull: whether null is written as `null` rather than as nothing.
    func templateValue(writesNull: Bool) -> Any {
        switch self {
        case .null: NullValue(writesNull: writesNull)
        case .bool(let flag): flag
        case .number(let number): TextValue(number.spelling)
        case .string(let text): TextValue(text)
        case .array(let items): JSONList(items: items, writesNull: writesNull)
        case .object: JSONMembersValue(object: self, writesNull: writesNull)
        }
    }
}
