public import Foundation
import TapedeckJSON

extension Tapedeck.JSON {
    /// An error in a JSON text, with its position.
    public struct ParsingError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The error.
        public let message: String
        /// Counted from 1.
        public let line: Int
        /// In characters, counted from 1.
        public let column: Int

        public var description: String { "line \(self.line), column \(self.column): \(self.message)" }
    }

    /// Parses a JSON text. A lone surrogate becomes U+FFFD.
    ///
    /// - Throws: ``ParsingError``, also for nesting beyond 512 levels, and for numbers whose exponent has more than 18
    ///   digits.
    public init(parsing text: String) throws(ParsingError) {
        self = try Self.parse(Array(text.utf8))
    }

    /// Parses a JSON text in UTF-8; a leading byte order mark is skipped.
    ///
    /// - Throws: ``ParsingError``, as for a text, and for bytes that are not UTF-8.
    public init(parsing data: Data) throws(ParsingError) {
        self = try Self.parse(Array(data))
    }

    private static func parse(_ bytes: [UInt8]) throws(ParsingError) -> Tapedeck.JSON {
        do throws(JSONError) {
            return Tapedeck.JSON(value: try JSONValue(parsing: bytes))
        } catch {
            throw ParsingError(message: error.message, line: error.line, column: error.column)
        }
    }

    /// Encodes an `Encodable` value.
    ///
    /// ```swift
    /// let body = try JSON(encoding: User(name: "Ada"))
    /// ```
    ///
    /// - Parameters:
    ///   - value: the value to encode.
    ///   - encoder: an encoder with other formats for dates or names. Set `.sortedKeys` as the default one does:
    ///     otherwise the order of members changes each time.
    /// - Throws: the encoder's error.
    public init(encoding value: some Encodable, with encoder: JSONEncoder? = nil) throws {
        let usual = JSONEncoder()
        usual.outputFormatting = .sortedKeys
        self = try Tapedeck.JSON(parsing: try (encoder ?? usual).encode(value))
    }

    /// Decodes the value.
    ///
    /// ```swift
    /// let user = try body.decode(as: User.self)
    /// ```
    ///
    /// - Throws: what the decoder throws, which says what is missing and where.
    public func decode<Value: Decodable>(
        as type: Value.Type = Value.self,
        with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(self.text.utf8))
    }
}
