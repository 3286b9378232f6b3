/// A field or extension of a message.
struct FieldDescriptor: Sendable {
    /// The type of one value.
    enum Kind: Sendable, Equatable {
        case double, float
        case int32, int64, uint32, uint64, sint32, sint64
        case fixed32, fixed64, sfixed32, sfixed64
        case bool
        case string, bytes
        /// An enum, by its index in the pool.
        case `enum`(Int)
        /// A length-delimited message, by its index in the pool.
        case message(Int)
        /// A message that is encoded as a group, by its index in the pool.
        case group(Int)

        /// The index of a message or group.
        var message: Int? {
            switch self {
            case .message(let index), .group(let index): index
            default: nil
            }
        }

        /// True for the types that map keys may have.
        var isMapKey: Bool {
            switch self {
            case .double, .float, .bytes, .enum, .message, .group: false
            default: true
            }
        }

        /// True for numbers, `bool` and enums, whose lists may be packed into one field.
        var isPackable: Bool {
            switch self {
            case .string, .bytes, .message, .group: false
            default: true
            }
        }
    }

    /// The name in the `.proto` file. For an extension, the full name.
    let name: String
    /// The name in JSON, in lowerCamelCase. For an extension, the full name in brackets.
    let jsonName: String
    let number: Int
    let kind: Kind
    let isRepeated: Bool
    let isRequired: Bool
    /// True if zero or empty values are sent.
    let hasPresence: Bool
    /// True if a list is sent as one packed field. Decoding accepts both forms.
    let isPacked: Bool
    /// True if a string with invalid UTF-8 makes the message malformed.
    let validatesUTF8: Bool
    /// The index of the field's oneof in its message, if any.
    let oneof: Int?
    /// True for a map, which is encoded as a list of messages with key and value.
    let isMap: Bool
}

/// An enum.
struct EnumDescriptor: Sendable {
    /// The full name.
    let name: String
    /// False if undefined values are treated as unknown fields.
    let isOpen: Bool
    /// The names of the values, in the order of the file.
    let names: [String]
    /// The number of each name.
    let numbers: [String: Int32]
    /// The first name of each number.
    let namesByNumber: [Int32: String]

    init(name: String, isOpen: Bool, values: [(name: String, number: Int32)]) {
        self.name = name
        self.isOpen = isOpen
        self.names = values.map(\.name)
        self.numbers = Dictionary(values.map { ($0.name, $0.number) }) { first, _ in first }
        self.namesByNumber = Dictionary(values.map { ($0.number, $0.name) }) { first, _ in first }
    }
}

/// A message.
struct MessageDescriptor: Sendable {
    /// The full name.
    let name: String
    let isMapEntry: Bool
    /// The fields in the order of the file, followed by the extensions.
    private(set) var fields: [FieldDescriptor] = []
    /// The names of the oneofs.
    let oneofs: [String]
    /// The kind of message, if it has a special form in JSON.
    let wellKnown: WellKnownType?
    private(set) var required: [FieldDescriptor] = []
    private var byNumber: [Int: Int] = [:]
    private var byName: [String: Int] = [:]

    init(name: String, isMapEntry: Bool, oneofs: [String]) {
        self.name = name
        self.isMapEntry = isMapEntry
        self.oneofs = oneofs
        self.wellKnown = WellKnownType(name: name)
    }

    /// Adds a field or an extension, unless its number is taken.
    mutating func add(_ field: FieldDescriptor) {
        guard self.byNumber[field.number] == nil else { return }
        let index = self.fields.count
        self.fields.append(field)
        self.byNumber[field.number] = index
        // The JSON name of a field takes precedence over another field's name in the file.
        self.byName[field.jsonName] = index
        if self.byName[field.name] == nil { self.byName[field.name] = index }
        if field.isRequired { self.required.append(field) }
    }

    func field(_ number: Int) -> FieldDescriptor? {
        self.byNumber[number].map { self.fields[$0] }
    }

    /// Returns the field with a name in JSON or in the `.proto` file.
    func field(_ name: String) -> FieldDescriptor? {
        self.byName[name].map { self.fields[$0] }
    }
}
