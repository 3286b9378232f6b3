import TapedeckCore

extension JSONValue {
    /// This as a value of a template. Arrays and objects are written as JSON without white space.
    var templateValue: Any {
        switch self {
        case .null: NullValue()
        case .bool(let flag): flag
        case .number(let number): TextValue(number.spelling)
        case .string(let text): TextValue(text)
        case .array(let items): JSONList(items: items)
        case .object: JSONMembersValue(object: self)
        }
    }
}
