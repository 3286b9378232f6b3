import TapedeckCore
import TapedeckProtobuf

/// The details of a status of gRPC: `google.rpc.Status` in the field `grpc-status-details-bin`.
enum StatusDetails {
    static let name = "grpc-status-details-bin"
    private static let type = DescriptorSet.builtIn.message("google.rpc.Status")

    /// The field for a list of details, each an `Any` in JSON.
    ///
    /// - Throws: if they are no such list.
    static func field(
        _ code: GRPCStatusCode,
        _ message: String,
        _ details: JSONValue
    ) throws(ProtobufJSONError) -> HeaderField? {
        var members = [JSONMember(name: "code", value: .number(JSONNumber(code.rawValue)))]
        if !message.isEmpty { members.append(JSONMember(name: "message", value: .string(message))) }
        members.append(JSONMember(name: "details", value: details))
        guard let bytes = try self.type?.bytes(of: .object(members)) else { return nil }
        return HeaderField(self.name, ByteText.string(from: GRPCBinaryMetadata.encode(bytes)))
    }

    /// The list of details in a field; `nil` unless ``field(_:_:_:)`` gives back the very field.
    static func details(of field: HeaderField, _ code: GRPCStatusCode, _ message: String) -> JSONValue? {
        guard field.name == self.name, let bytes = GRPCBinaryMetadata.decode(ByteText.bytes(of: field.value)),
            let details = self.type?.exactJSON(of: bytes)?["details"],
            (try? self.field(code, message, details)) == field
        else { return nil }
        return details
    }
}
