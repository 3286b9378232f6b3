import TapedeckJSON

/// Protobuf messages as text without a descriptor, by field number.
///
/// ```
/// 1: "Hello ada"
/// 2: 42
/// 3: {
///   1: fixed32 7
///   2: double 1.5
/// }
/// 4: hex "08ff00"
/// 5: group { 1: "old" }
/// ```
///
/// A plain number is a varint, quoted text is a string with JSON's escapes, and braces enclose a nested message.
/// Other encodings are named: `fixed32`, `fixed64`, `float`, `double`, `hex` and `group`. White space or commas
/// separate fields, and `#` begins a comment up to the end of the line.
package enum ProtobufText {
    /// Returns the text of a message, with one line per field. Returns `nil` if the bytes are malformed, or if
    /// ``bytes(of:)`` would not give back exactly these bytes.
    package static func text(of bytes: [UInt8]) -> String? {
        guard let message = ProtobufMessage(parsing: bytes), message.bytes == bytes else { return nil }
        var writer = ProtobufTextWriter()
        writer.write(message)
        let text = String(decoding: writer.text, as: UTF8.self)
        // This check guarantees the round trip.
        guard let back = try? self.bytes(of: text), back == bytes else { return nil }
        return text
    }

    /// Returns the encoded message that a text describes.
    ///
    /// - Throws: the first error, with its position and a remedy. Messages nested deeper than 100 levels are an error.
    package static func bytes(of text: String) throws(ProtobufTextError) -> [UInt8] {
        var parser = ProtobufTextParser(text)
        return try parser.parse()
    }
}

/// An error in a ``ProtobufText``.
package struct ProtobufTextError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its remedy, without the position.
    package var message: String
    /// The line, from 1.
    package var line: Int
    /// The column in characters, from 1.
    package var column: Int

    package var description: String {
        "line \(self.line), column \(self.column): \(self.message)"
    }
}

/// The words in front of values whose encoding the value does not show.
enum ProtobufTextWord: String, CaseIterable {
    case fixed32
    case fixed64
    case float
    case double
    case hex
    case group
}
