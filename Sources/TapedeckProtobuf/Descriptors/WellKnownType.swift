/// The messages of `google.protobuf` with a special form in JSON.
enum WellKnownType: String, Sendable {
    case any = "Any"
    case timestamp = "Timestamp"
    case duration = "Duration"
    case fieldMask = "FieldMask"
    case `struct` = "Struct"
    case value = "Value"
    case listValue = "ListValue"
    case doubleValue = "DoubleValue"
    case floatValue = "FloatValue"
    case int64Value = "Int64Value"
    case uint64Value = "UInt64Value"
    case int32Value = "Int32Value"
    case uint32Value = "UInt32Value"
    case boolValue = "BoolValue"
    case stringValue = "StringValue"
    case bytesValue = "BytesValue"

    /// The name of the enum whose only value is `null` in JSON.
    static let nullValueName = "google.protobuf.NullValue"

    /// - Parameter name: the full name of a message.
    init?(name: String) {
        let package = "google.protobuf."
        guard name.hasPrefix(package) else { return nil }
        self.init(rawValue: String(name.dropFirst(package.count)))
    }
}
