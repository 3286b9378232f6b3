package import TapedeckCore

/// The JSON of a body as a cassette has it: placeholders of secrets may stand in the place of numbers, too.
package enum BodyJSON {
    /// Returns the error in a text that is not JSON; `nil` for JSON.
    package static func error(in text: [UInt8]) -> JSONError? {
        var text = text
        let placeholders = text.withUnsafeBytes { SecretPlaceholder.all(in: $0) }
        for (range, _) in placeholders {
            // A number of the same length, so that places in the text stay.
            for index in range { text[index] = UInt8(ascii: "1") }
        }
        do throws(JSONError) {
            _ = try JSONValue(parsing: text)
            return nil
        } catch {
            return error
        }
    }
}
