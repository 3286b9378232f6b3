package import TapedeckCore

/// Messages with other texts.
extension MessageList {
    /// Returns the list with other texts, and the messages that they mean.
    ///
    /// - Parameter change: returns the new text of a message; `nil` leaves it as it is.
    /// - Throws: ``StoredMessage/Invalid`` if a text means no message, or the error of `change`.
    package func changing(_ change: (_ number: Int, StoredMessage) throws -> [UInt8]?) throws -> MessageList {
        var list = self
        for (index, message) in self.messages.enumerated() {
            guard let content = try change(index, message) else { continue }
            list.messages[index].content = content
            let bytes = try StoredMessage.bytes(of: content, message.form, self.codec)
            list.messages[index].bytes = bytes
            guard let coding = message.compression?.coding else {
                if message.compression != nil { list.messages[index].compression?.payload = bytes }
                continue
            }
            // The kept bytes are those of the old message.
            list.messages[index].compression = StoredMessage.Compression(
                coding,
                payload: try ContentCoder.encode(bytes, coding.layers)
            )
        }
        return list
    }
}

extension StoredMessage {
    /// True if the message is a text in the cassette.
    package var isText: Bool { self.form != .base64 }
}
