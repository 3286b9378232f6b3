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
            list.messages[index] = try message.with(content, self.codec)
        }
        return list
    }

    /// Returns the list with other texts. A message whose new text means none of its type stays as it is.
    package func changingWherePossible(_ change: (StoredMessage) -> [UInt8]?) -> MessageList {
        var list = self
        for (index, message) in self.messages.enumerated() {
            guard let content = change(message), let changed = try? message.with(content, self.codec) else { continue }
            list.messages[index] = changed
        }
        return list
    }
}

extension StoredMessage {
    /// The message with another text.
    fileprivate func with(_ content: [UInt8], _ codec: MessageCodec) throws -> StoredMessage {
        var message = self
        message.content = content
        message.bytes = try Self.bytes(of: content, self.form, codec)
        if let coding = self.compression?.coding {
            // The kept bytes are those of the old message.
            message.compression = Compression(coding, payload: try ContentCoder.encode(message.bytes, coding.layers))
        } else if self.compression != nil {
            message.compression?.payload = message.bytes
        }
        return message
    }

    /// True if the message is a text in the cassette.
    package var isText: Bool { self.form != .base64 }
}
