import TapedeckJSON

/// A JSON value does not describe a message of the expected type.
package struct ProtobufJSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error and its remedy, without the path.
    package var message: String
    /// The JSON path of the error, such as `$.items[2].name`.
    package private(set) var path = "$"

    init(_ message: String) {
        self.message = message
    }

    /// Returns the error with a member prepended to its path.
    func inside(_ member: String) -> ProtobufJSONError {
        let isPlain =
            !member.isEmpty
            && member.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
                default: false
                }
            }
        return self.inside(step: isPlain ? ".\(member)" : "[\(Self.quoted(member))]")
    }

    /// Returns the error with an index prepended to its path.
    func inside(_ index: Int) -> ProtobufJSONError {
        self.inside(step: "[\(index)]")
    }

    private func inside(step: String) -> ProtobufJSONError {
        var error = self
        error.path = "$" + step + self.path.dropFirst()
        return error
    }

    /// Returns a text in quotation marks, cut after 40 characters and with escapes for control characters.
    static func quoted(_ text: String) -> String {
        let text = text.count > 40 ? "\(text.prefix(40))…" : text
        return String(decoding: JSONValue.string(text).compactText, as: UTF8.self)
    }

    package var description: String { "\(self.path): \(self.message)" }
}
