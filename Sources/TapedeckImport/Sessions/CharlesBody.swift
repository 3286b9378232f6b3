import TapedeckCore
import TapedeckJSON

/// A body in a JSON session of Charles.
struct CharlesBody {
    private let message: ForeignNode
    private let body: ForeignNode
    private let line: Int

    /// Returns `nil` for a message without a body.
    init?(_ message: ForeignNode?, _ line: Int) {
        guard let message, let body = message["body"], body.isMap else { return nil }
        self.message = message
        self.body = body
        self.line = line
    }

    /// The bytes; `nil` if the file does not hold them.
    ///
    /// - Throws: the reason for which they cannot be told.
    func bytes() throws(LeftOut) -> [UInt8]? {
        if let encoded = self.body["encoded"]?.text {
            let encoding = self.body["encoding"]?.text ?? "base64"
            guard encoding.lowercased() == "base64" else {
                throw LeftOut(
                    "its body is in the encoding '\(encoding.prefix(40))', which is not known",
                    line: self.line
                )
            }
            guard let bytes = ForeignText.strictBase64(encoded) else {
                throw LeftOut("its body is no base64", line: self.line)
            }
            return bytes
        }
        guard let text = self.body["text"]?.text else { return nil }
        guard !text.isEmpty else { return (self.size ?? 0) > 0 ? nil : [] }
        return try self.bytes(of: text)
    }

    /// The size in bytes; `nil` if it is not known, or is that of another form of the body.
    private var size: Int? {
        let fields = ForeignHeaders.fields(of: self.message["header"]?["headers"])
        guard self.body["decoded"]?.bool != true, !fields.contains(named: "transfer-encoding") else { return nil }
        return self.message["sizes"]?["body"]?.int
    }

    /// Charles shows a body in its charset, and as ISO-8859-1 where it knows none; then `charset` is a null.
    private func bytes(of text: String) throws(LeftOut) -> [UInt8] {
        let utf8 = ByteText.bytes(of: text)
        guard let charset = self.body["charset"], self.size != utf8.count else { return utf8 }
        guard let name = charset.text, !name.isEmpty else {
            return ForeignText.encode(text, as: "iso-8859-1") ?? utf8
        }
        guard let bytes = ForeignText.encode(text, as: name) else {
            throw LeftOut("its body cannot be written in its charset '\(name.prefix(40))'", line: self.line)
        }
        // Bytes that are invalid in the charset are lost.
        if let size = self.size, size != bytes.count, text.unicodeScalars.contains("\u{FFFD}") {
            throw LeftOut("its body is stored as text, which its bytes are not: some of them are lost", line: self.line)
        }
        return bytes
    }
}
