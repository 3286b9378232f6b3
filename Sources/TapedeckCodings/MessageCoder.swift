package import TapedeckCore
package import TapedeckProtobuf

/// Takes the messages of calls apart, without their compression, and puts them together again.
package enum MessageCoder {
    /// A part of a message that can be changed.
    package enum Part: Sendable {
        /// A whole message in JSON, or as JSON.
        case json
        /// A string in a message of protobuf.
        case text
        /// A whole message whose encoding is unknown.
        case binary
    }

    /// Returns a body without the codings that its fields name: those of the body, and for a call those of its messages. A
    /// body whose codings are unknown, or cannot be undone within `limit` bytes, stays as it is.
    package static func decoded(_ bytes: [UInt8], _ fields: [HeaderField], limit: Int) -> [UInt8] {
        let body = ContentCoder.decoded(bytes, fields, limit: limit)
        guard let framing = MessageFraming(fields), let coding = framing.coding(fields),
            var messages = framing.messages(of: body), messages.contains(where: \.isCompressed)
        else { return body }
        var rest = limit
        for index in messages.indices where messages[index].isCompressed {
            guard let decoded = try? ContentCoder.decode(messages[index].bytes, coding, limit: rest) else {
                return body
            }
            rest -= decoded.count
            messages[index].bytes = decoded
            messages[index].isCompressed = false
        }
        return framing.joined(messages)
    }

    /// Returns the body of a call with other texts in its messages; `nil` for a body that is no call's.
    ///
    /// - Parameters:
    ///   - type: the type of the messages, where a descriptor says it.
    ///   - limit: the maximum size of a message without its compression, in bytes. A larger one stays as it is.
    ///   - change: returns the new text of a part; the same one leaves it as it is.
    package static func changing(
        _ body: [UInt8],
        _ fields: [HeaderField],
        type: MessageType?,
        limit: Int,
        _ change: ([UInt8], Part) -> [UInt8]
    ) -> [UInt8]? {
        guard let framing = MessageFraming(fields), var messages = framing.messages(of: body) else { return nil }
        let codec = MessageCodec(fields, type: type)
        let coding = framing.coding(fields)
        for index in messages.indices {
            let coded = messages[index].bytes
            if messages[index].flags > 1 {
                messages[index].bytes = change(coded, .binary)
                continue
            }
            guard messages[index].isCompressed else {
                messages[index].bytes = self.changing(coded, codec, change)
                continue
            }
            guard let coding, let bytes = try? ContentCoder.decode(coded, coding, limit: limit) else {
                messages[index].bytes = change(coded, .binary)
                continue
            }
            let changed = self.changing(bytes, codec, change)
            guard changed != bytes else { continue }
            let recipe = RecipeSearch().recipe(for: coded, of: bytes, coding).recipe
            if let coded = try? ContentCoder.encode(changed, recipe) { messages[index].bytes = coded }
        }
        return framing.joined(messages)
    }

    private static func changing(
        _ message: [UInt8],
        _ codec: MessageCodec,
        _ change: ([UInt8], Part) -> [UInt8]
    ) -> [UInt8] {
        switch codec {
        case .json: return change(message, .json)
        case .other: return change(message, .binary)
        case .protobuf(let type):
            if let type, let json = type.exactJSON(of: message)?.compactText {
                let changed = change(json, .json)
                if changed == json { return message }
                if let value = try? JSONValue(parsing: changed) {
                    if let bytes = try? type.bytes(of: value) { return bytes }
                    if let bytes = self.bytes(of: value, changedFrom: json, type) { return bytes }
                }
            }
            guard var fields = ProtobufMessage(parsing: message), fields.bytes == message else {
                return change(message, .binary)
            }
            let isChanged = fields.replaceTexts { _, text in
                let bytes = Array(text.utf8)
                let changed = change(bytes, .text)
                return changed == bytes ? nil : String(decoding: changed, as: UTF8.self)
            }
            return isChanged ? fields.bytes : message
        }
    }

    /// Returns a message with changed values of which some are no values of their fields, as a text in the place of bytes or
    /// of a number: bytes are then those of the text, and numbers 0. `nil` if it is no message all the same.
    private static func bytes(of changed: JSONValue, changedFrom json: [UInt8], _ type: MessageType) -> [UInt8]? {
        guard let original = try? JSONValue(parsing: json) else { return nil }
        for number in [false, true] {
            let mended = self.mended(changed, original, numbers: number)
            if let bytes = try? type.bytes(of: mended) { return bytes }
        }
        return nil
    }

    private static func mended(_ changed: JSONValue, _ original: JSONValue, numbers: Bool) -> JSONValue {
        switch (changed, original) {
        case (.object(let new), .object(let old)) where new.count == old.count:
            return .object(
                zip(new, old).map { new, old in
                    JSONMember(name: new.name, value: self.mended(new.value, old.value, numbers: numbers))
                }
            )
        case (.array(let new), .array(let old)) where new.count == old.count:
            return .array(zip(new, old).map { self.mended($0, $1, numbers: numbers) })
        case (.string(let new), .string(let old)) where new != old:
            // The JSON of bytes is base64 (ProtoJSON), and that of long numbers digits.
            if old.allSatisfy({ $0.isNumber || $0 == "-" }) { return numbers ? .string("0") : changed }
            guard Array(old.utf8).withUnsafeBytes({ Base64.decode($0) }) != nil else { return changed }
            return .string(String(decoding: Base64.encode(Array(new.utf8)), as: UTF8.self))
        case (.string, .number): return .number(JSONNumber(0))
        default: return changed
        }
    }
}
