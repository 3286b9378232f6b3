package import TapedeckJSON

/// A message type of a ``DescriptorSet``, which converts messages to and from JSON.
///
/// The conversion follows ProtoJSON (protobuf.dev/programming-guides/json), with two additions:
///
/// - The members of an object have the order of the fields on the wire, and are encoded in their own order. So messages
///   with any order of fields survive a round trip.
/// - An `Any` whose type is not in the descriptor set has its bytes as base64 in `value`.
package struct MessageType: Sendable, Equatable {
    let pool: DescriptorPool
    let index: Int

    package static func == (left: Self, right: Self) -> Bool { left.pool === right.pool && left.index == right.index }

    /// The full name, such as `google.protobuf.Timestamp`.
    package var name: String { self.pool.messages[self.index].name }

    /// Returns a message as JSON, without unknown fields. Returns `nil` if the bytes are malformed, if ProtoJSON cannot
    /// represent a value, such as a timestamp in the year 10000, or if messages are nested deeper than 100 levels.
    package func json(of bytes: [UInt8]) -> JSONValue? {
        try? MessageJSONWriter(pool: self.pool).json(of: self.index, WireReader(bytes), depth: 0)
    }

    /// Returns a message as JSON; `nil` also for one with fields that the descriptor does not know.
    package func wholeJSON(of bytes: [UInt8]) -> JSONValue? {
        try? MessageJSONWriter(pool: self.pool, isStrict: true).json(of: self.index, WireReader(bytes), depth: 0)
    }

    /// Returns a message as JSON; `nil` if ``bytes(of:)`` would not give back exactly these bytes.
    ///
    /// A message has no exact JSON if it contains unknown fields, lists in several pieces or packed differently from
    /// the descriptor, unnecessary zeros, or other encodings that implementations decode but do not produce.
    package func exactJSON(of bytes: [UInt8]) -> JSONValue? {
        guard let json = self.json(of: bytes), let back = try? self.bytes(of: json), back == bytes else { return nil }
        return json
    }

    /// Returns the encoded message for a JSON value.
    ///
    /// Members may have the JSON names of fields or their names in the `.proto` file. A field with `null` is not set.
    ///
    /// - Throws: the first error, with its JSON path and a remedy.
    package func bytes(of json: JSONValue) throws(ProtobufJSONError) -> [UInt8] {
        try MessageJSONReader(pool: self.pool).bytes(of: self.index, json, depth: 0)
    }
}
