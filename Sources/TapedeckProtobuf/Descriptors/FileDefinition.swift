/// A `.proto` file as in `google.protobuf.FileDescriptorProto`, with unresolved names of types.
struct FileDefinition: Sendable {
    var name = ""
    var package = ""
    /// The names of imported files.
    var dependencies: [String] = []
    var features = Features.proto2
    var messages: [MessageDefinition] = []
    var enums: [EnumDefinition] = []
    var extensions: [FieldDefinition] = []
    var services: [ServiceDefinition] = []
}

struct MessageDefinition: Sendable {
    var name = ""
    var fields: [FieldDefinition] = []
    var messages: [MessageDefinition] = []
    var enums: [EnumDefinition] = []
    var extensions: [FieldDefinition] = []
    var oneofs: [OneofDefinition] = []
    /// True for the message type of a map's entries.
    var isMapEntry = false
    var changes = FeatureChanges()
}

struct OneofDefinition: Sendable {
    var name = ""
    var changes = FeatureChanges()
}

struct FieldDefinition: Sendable {
    /// `FieldDescriptorProto.Type`.
    enum Kind: Int, Sendable {
        case double = 1
        case float = 2
        case int64 = 3
        case uint64 = 4
        case int32 = 5
        case fixed64 = 6
        case fixed32 = 7
        case bool = 8
        case string = 9
        case group = 10
        case message = 11
        case bytes = 12
        case uint32 = 13
        case `enum` = 14
        case sfixed32 = 15
        case sfixed64 = 16
        case sint32 = 17
        case sint64 = 18
    }

    /// `FieldDescriptorProto.Label`.
    enum Label: Int, Sendable {
        case optional = 1
        case required = 2
        case repeated = 3
    }

    var name = ""
    var number = 0
    var label = Label.optional
    var kind: Kind?
    /// The name of the message or enum. A leading dot marks a full name.
    var typeName = ""
    /// The name of the message that an extension extends.
    var extendee = ""
    var jsonName: String?
    var oneof: Int?
    /// True for a proto3 field with the keyword `optional`.
    var isOptional = false
    var isPacked: Bool?
    var changes = FeatureChanges()
}

struct EnumDefinition: Sendable {
    var name = ""
    var values: [(name: String, number: Int32)] = []
    var changes = FeatureChanges()
}

struct ServiceDefinition: Sendable {
    var name = ""
    var methods: [MethodDefinition] = []
}

struct MethodDefinition: Sendable {
    var name = ""
    var input = ""
    var output = ""
    var isClientStreaming = false
    var isServerStreaming = false
}
