/// The files that are part of every descriptor set: the well-known types, and the standard errors in
/// `grpc-status-details-bin`.
enum BuiltInFiles {
    static let all = [
        protoFile(
            "google/protobuf/any.proto",
            "google.protobuf",
            [message("Any", [field("type_url", 1, .string), field("value", 2, .bytes)])]
        ),
        protoFile(
            "google/protobuf/timestamp.proto",
            "google.protobuf",
            [message("Timestamp", [field("seconds", 1, .int64), field("nanos", 2, .int32)])]
        ),
        protoFile(
            "google/protobuf/duration.proto",
            "google.protobuf",
            [message("Duration", [field("seconds", 1, .int64), field("nanos", 2, .int32)])]
        ),
        protoFile("google/protobuf/empty.proto", "google.protobuf", [message("Empty", [])]),
        protoFile(
            "google/protobuf/field_mask.proto",
            "google.protobuf",
            [message("FieldMask", [list("paths", 1, .string)])]
        ),
        structs,
        wrappers,
        protoFile(
            "google/rpc/status.proto",
            "google.rpc",
            [
                message(
                    "Status",
                    [
                        field("code", 1, .int32), field("message", 2, .string),
                        list("details", 3, .message, ".google.protobuf.Any"),
                    ]
                )
            ]
        ),
        errorDetails,
    ]

    private static let structs: FileDefinition = {
        var value = message(
            "Value",
            [
                field("null_value", 1, .enum, ".google.protobuf.NullValue"), field("number_value", 2, .double),
                field("string_value", 3, .string), field("bool_value", 4, .bool),
                field("struct_value", 5, .message, ".google.protobuf.Struct"),
                field("list_value", 6, .message, ".google.protobuf.ListValue"),
            ]
        )
        value.oneofs = [OneofDefinition(name: "kind")]
        for index in value.fields.indices { value.fields[index].oneof = 0 }
        var file = protoFile(
            "google/protobuf/struct.proto",
            "google.protobuf",
            [
                map("Struct", [], "fields", 1, field("value", 2, .message, ".google.protobuf.Value")),
                value,
                message("ListValue", [list("values", 1, .message, ".google.protobuf.Value")]),
            ]
        )
        file.enums = [EnumDefinition(name: "NullValue", values: [("NULL_VALUE", 0)])]
        return file
    }()

    private static let wrappers: FileDefinition = {
        let kinds: [(String, FieldDefinition.Kind)] = [
            ("DoubleValue", .double), ("FloatValue", .float), ("Int64Value", .int64), ("UInt64Value", .uint64),
            ("Int32Value", .int32), ("UInt32Value", .uint32), ("BoolValue", .bool), ("StringValue", .string),
            ("BytesValue", .bytes),
        ]
        return protoFile(
            "google/protobuf/wrappers.proto",
            "google.protobuf",
            kinds.map { message($0, [field("value", 1, $1)]) }
        )
    }()

    private static let errorDetails: FileDefinition = {
        var quotaFailure = message(
            "QuotaFailure",
            [list("violations", 1, .message, ".google.rpc.QuotaFailure.Violation")]
        )
        var futureValue = field("future_quota_value", 8, .int64)
        futureValue.isOptional = true
        quotaFailure.messages = [
            map(
                "Violation",
                strings("subject", "description", "api_service", "quota_metric", "quota_id")
                    + [field("quota_value", 7, .int64), futureValue],
                "quota_dimensions",
                6,
                field("value", 2, .string)
            )
        ]
        var preconditions = message(
            "PreconditionFailure",
            [list("violations", 1, .message, ".google.rpc.PreconditionFailure.Violation")]
        )
        preconditions.messages = [message("Violation", strings("type", "subject", "description"))]
        var badRequest = message(
            "BadRequest",
            [list("field_violations", 1, .message, ".google.rpc.BadRequest.FieldViolation")]
        )
        badRequest.messages = [
            message(
                "FieldViolation",
                strings("field", "description", "reason")
                    + [field("localized_message", 4, .message, ".google.rpc.LocalizedMessage")]
            )
        ]
        var help = message("Help", [list("links", 1, .message, ".google.rpc.Help.Link")])
        help.messages = [message("Link", strings("description", "url"))]
        return protoFile(
            "google/rpc/error_details.proto",
            "google.rpc",
            [
                map("ErrorInfo", strings("reason", "domain"), "metadata", 3, field("value", 2, .string)),
                message("RetryInfo", [field("retry_delay", 1, .message, ".google.protobuf.Duration")]),
                message("DebugInfo", [list("stack_entries", 1, .string), field("detail", 2, .string)]),
                quotaFailure,
                preconditions,
                badRequest,
                message("RequestInfo", strings("request_id", "serving_data")),
                message("ResourceInfo", strings("resource_type", "resource_name", "owner", "description")),
                help,
                message("LocalizedMessage", strings("locale", "message")),
            ]
        )
    }()

    // MARK: Parts of a file

    private static func protoFile(_ name: String, _ package: String, _ messages: [MessageDefinition]) -> FileDefinition
    {
        FileDefinition(name: name, package: package, features: .proto3, messages: messages)
    }

    private static func message(_ name: String, _ fields: [FieldDefinition]) -> MessageDefinition {
        MessageDefinition(name: name, fields: fields)
    }

    private static func field(
        _ name: String,
        _ number: Int,
        _ kind: FieldDefinition.Kind,
        _ type: String = ""
    ) -> FieldDefinition {
        FieldDefinition(name: name, number: number, kind: kind, typeName: type)
    }

    private static func list(
        _ name: String,
        _ number: Int,
        _ kind: FieldDefinition.Kind,
        _ type: String = ""
    ) -> FieldDefinition {
        FieldDefinition(name: name, number: number, label: .repeated, kind: kind, typeName: type)
    }

    /// String fields with the numbers from 1.
    private static func strings(_ names: String...) -> [FieldDefinition] {
        names.enumerated().map { self.field($1, $0 + 1, .string) }
    }

    /// A message with a map whose keys are strings.
    ///
    /// - Parameter value: field 2 of the map's entry.
    private static func map(
        _ name: String,
        _ fields: [FieldDefinition],
        _ map: String,
        _ number: Int,
        _ value: FieldDefinition
    ) -> MessageDefinition {
        var entry = self.message("Entry", [self.field("key", 1, .string), value])
        entry.isMapEntry = true
        var message = self.message(name, fields + [self.list(map, number, .message, "Entry")])
        message.messages = [entry]
        return message
    }
}
