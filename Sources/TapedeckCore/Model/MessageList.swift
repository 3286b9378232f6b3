package import TapedeckProtobuf

/// The messages of a gRPC body as a cassette has them, in their order. They give the very bytes of the body.
package struct MessageList: Sendable, Equatable {
    package var messages: [StoredMessage]
    /// How the body frames its messages.
    package var framing: MessageFraming
    package var codec: MessageCodec

    package init(_ messages: [StoredMessage], framing: MessageFraming, codec: MessageCodec) {
        self.messages = messages
        self.framing = framing
        self.codec = codec
    }

    /// The body: all messages in their frames.
    package var body: [UInt8] {
        self.framing.joined(self.messages.map { GRPCMessage(flags: $0.flags, bytes: $0.payload) })
    }

    /// Two lists are equal if they are written and framed alike.
    package static func == (left: MessageList, right: MessageList) -> Bool {
        left.framing == right.framing && left.messages == right.messages
    }
}

/// A message of a body.
package struct StoredMessage: Sendable, Equatable {
    package enum Form: String, Sendable {
        case json
        /// Text by field numbers, see `ProtobufText`.
        case proto
        case base64
        /// The trailer fields of gRPC-Web, as lines.
        case trailers
        /// The end of a stream of Connect, as JSON.
        case end
    }

    package var form: Form
    /// The text as it is written, or the bytes behind the base64.
    package var content: [UInt8]
    /// The message without compression.
    package var bytes: [UInt8]
    /// The compression of the message on the wire; `nil` for none.
    package var compression: Compression?
    /// In an answer: the number of messages of the request that came before it. `nil` for a message that came after the
    /// whole request.
    package var after: Int?

    /// The compression of a message.
    package struct Compression: Sendable, Equatable {
        /// The way to compress it; `nil` if the message is kept as it was on the wire, because its coding is not known.
        package var coding: BodyCoding?
        /// The message on the wire.
        package var payload: [UInt8]

        package init(_ coding: BodyCoding?, payload: [UInt8]) {
            self.coding = coding
            self.payload = payload
        }
    }

    package init(
        _ form: Form,
        content: [UInt8],
        bytes: [UInt8],
        compression: Compression? = nil,
        after: Int? = nil
    ) {
        self.form = form
        self.content = content
        self.bytes = bytes
        self.compression = compression
        self.after = after
    }

    /// The flags in front of the message.
    package var flags: UInt8 {
        switch self.form {
        case .json, .proto, .base64: self.compression == nil ? 0 : 1
        case .trailers: 0x80
        case .end: 2
        }
    }

    /// The message as it is on the wire, without its frame.
    package var payload: [UInt8] { self.compression?.payload ?? self.bytes }

    /// Returns the message that a text means.
    ///
    /// - Throws: ``Invalid`` if the text means no message.
    package static func bytes(of content: [UInt8], _ form: Form, _ codec: MessageCodec) throws(Invalid) -> [UInt8] {
        switch form {
        case .base64, .end: return content
        case .trailers:
            return content.split(separator: ASCII.lineFeed).flatMap { $0 + [ASCII.carriageReturn, ASCII.lineFeed] }
        case .proto:
            do throws(ProtobufTextError) {
                return try ProtobufText.bytes(of: String(decoding: content, as: UTF8.self))
            } catch {
                throw Invalid(message: error.message, line: error.line, column: error.column)
            }
        case .json: return try self.bytes(ofJSON: content, codec)
        }
    }

    private static func bytes(ofJSON content: [UInt8], _ codec: MessageCodec) throws(Invalid) -> [UInt8] {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: content)
        } catch {
            throw Invalid(message: error.message, line: error.line, column: error.column)
        }
        switch codec {
        case .json: return json.compactText
        case .protobuf(let type?):
            do throws(ProtobufJSONError) {
                return try type.bytes(of: json)
            } catch {
                throw Invalid(message: "\(error)")
            }
        case .protobuf(nil):
            throw Invalid(
                message: "no descriptor says what this message is: name a file with it in `descriptors`, or write the "
                    + "message as `proto`"
            )
        case .other: throw Invalid(message: "messages of this content type are no JSON: write them as `base64`")
        }
    }

    /// The message as a text that gives back the very bytes, or as the bytes themselves.
    ///
    /// - Parameter limit: the maximum size of the text, in bytes.
    package init(_ bytes: [UInt8], _ codec: MessageCodec, limit: Int, compression: Compression? = nil) {
        var form = Form.base64
        var content = bytes
        switch codec {
        case .protobuf(let type):
            if let json = type?.exactJSON(of: bytes) {
                (form, content) = (.json, Self.text(of: json))
            } else if let text = ProtobufText.text(of: bytes) {
                let isOneLine = text.utf8.count { $0 == ASCII.lineFeed } == 1
                (form, content) = (.proto, Array((isOneLine ? text.dropLast() : text[...]).utf8))
            }
        case .json:
            if let json = try? JSONValue(parsing: bytes), json.compactText == bytes {
                (form, content) = (.json, Self.text(of: json))
            }
        case .other: break
        }
        if content.count > limit { (form, content) = (.base64, bytes) }
        self.init(form, content: content, bytes: bytes, compression: compression)
    }

    /// The trailer fields of gRPC-Web, or the end of a stream of Connect; `nil` if no text gives back the very bytes.
    package init?(end message: GRPCMessage) {
        let form = message.isWebTrailers ? Form.trailers : .end
        let content = form == .end ? message.bytes : message.bytes.filter { $0 != ASCII.carriageReturn }
        guard String(validating: content, as: UTF8.self) != nil,
            (try? Self.bytes(of: content, form, .other)) == message.bytes
        else { return nil }
        self.init(form, content: content, bytes: message.bytes)
    }

    /// The JSON on one line, or on several where it is long.
    private static func text(of json: JSONValue) -> [UInt8] {
        let compact = json.compactText
        return compact.withUnsafeBytes { bytes in
            bytes.count > 60 ? JSONLayout.readable(bytes)?.text : JSONLayout.spaced.apply(to: bytes)
        } ?? compact
    }

    /// A text that means no message.
    package struct Invalid: Error, Sendable, CustomStringConvertible {
        package var message: String
        /// The place in the text, from 1; `nil` where ``message`` says it.
        package var line: Int?
        package var column: Int?

        package var description: String {
            guard let line, let column else { return self.message }
            return "\(self.message) (line \(line), column \(column) of it)"
        }
    }
}
