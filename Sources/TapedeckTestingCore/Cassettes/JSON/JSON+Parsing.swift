public import Foundation
import TapedeckJSON

extension Tapedeck.JSON {
    /// Why a text is no JSON, and where.
    public struct ParsingError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The error.
        public let message: String
        /// Counted from 1.
        public let line: Int
        /// In characters, counted from 1.
        public let column: Int

        public var description: String { "line \(self.line), column \(self.column): \(self.message)" }
    }

    /// The value that a JSON text stands for. Half a surrogate pair becomes U+FFFD.
    ///
    /// - Throws: ``ParsingError``, also for lists within lists beyond 512 levels, and for numbers whose exponent has more
    ///   than 18 digits.
    public init(parsing text: String) throws(ParsingError) {
        self = try Self.parse(Array(text.utf8))
    }

    /// The value that a JSON text in UTF-8 stands for; a byte order mark in front is skipped.
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
    ///   - value: what is encoded.
    ///   - encoder: what encodes it, where dates or names are to be written in some other way. Give it `.sortedKeys`, as the
    ///     usual one has it: otherwise members come in another order each time.
    /// - Throws: what the encoder throws.
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
