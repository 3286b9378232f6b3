package import TapedeckJSON

/// An error of Connect (connectrpc.com/docs/protocol): the body of a failed unary call, or part of a ``ConnectEnd``.
package struct ConnectError: Sendable, Equatable {
    /// A detail, which is a protobuf message.
    package struct Detail: Sendable, Equatable {
        /// The full name of the message.
        package var type: String
        /// The encoded message.
        package var bytes: [UInt8]
        /// The message as JSON, if the server sent it for debugging. Clients ignore it.
        package var debug: JSONValue?

        package init(type: String, bytes: [UInt8], debug: JSONValue? = nil) {
            self.type = type
            self.bytes = bytes
            self.debug = debug
        }
    }

    package var code: GRPCStatusCode
    /// The message; empty if missing.
    package var message: String
    package var details: [Detail]

    package init(code: GRPCStatusCode, message: String = "", details: [Detail] = []) {
        self.code = code
        self.message = message
        self.details = details
    }

    /// Parses an error. Returns `nil` if the JSON is not an error of Connect. As in clients, an unknown code becomes
    /// `UNKNOWN`.
    package init?(_ json: JSONValue) {
        guard let code = json["code"]?.stringValue else { return nil }
        self.code = GRPCStatusCode(connectName: code) ?? .unknown
        self.message = json["message"]?.stringValue ?? ""
        self.details = []
        guard case .array(let details)? = json["details"] else { return }
        for detail in details {
            guard let type = detail["type"]?.stringValue, let value = detail["value"]?.stringValue,
                let bytes = MessageJSONReader.base64(value)
            else { return nil }
            self.details.append(Detail(type: type, bytes: bytes, debug: detail["debug"]))
        }
    }

    package var json: JSONValue {
        var members = [JSONMember(name: "code", value: .string(self.code.connectName))]
        if !self.message.isEmpty { members.append(JSONMember(name: "message", value: .string(self.message))) }
        if !self.details.isEmpty {
            members.append(JSONMember(name: "details", value: .array(self.details.map(Self.json))))
        }
        return .object(members)
    }

    private static func json(of detail: Detail) -> JSONValue {
        let value = String(decoding: Base64.encode(detail.bytes, isPadded: false), as: UTF8.self)
        var members = [
            JSONMember(name: "type", value: .string(detail.type)), JSONMember(name: "value", value: .string(value)),
        ]
        if let debug = detail.debug { members.append(JSONMember(name: "debug", value: debug)) }
        return .object(members)
    }

    /// The HTTP status of a unary response with this error.
    package var httpStatus: Int {
        switch self.code {
        case .cancelled: 499
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .deadlineExceeded: 504
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .permissionDenied: 403
        case .resourceExhausted: 429
        case .unimplemented: 501
        case .unavailable: 503
        case .unauthenticated: 401
        default: 500
        }
    }
}

/// The last message of a streaming Connect call, with ``GRPCMessage/isConnectEnd``: the trailers, and the error if the
/// call failed.
package struct ConnectEnd: Sendable, Equatable {
    package var error: ConnectError?
    /// The trailers, in the order of the JSON.
    package var metadata: [(name: String, values: [String])]

    package init(error: ConnectError? = nil, metadata: [(name: String, values: [String])] = []) {
        self.error = error
        self.metadata = metadata
    }

    /// Parses the decompressed bytes of the message. Returns `nil` if they are not the end of a stream.
    package init?(parsing bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), case .object = json else { return nil }
        self.error = nil
        self.metadata = []
        if let value = json["error"] {
            guard let error = ConnectError(value) else { return nil }
            self.error = error
        }
        guard case .object(let members)? = json["metadata"] else { return }
        for member in members {
            guard case .array(let values) = member.value else { return nil }
            self.metadata.append((member.name, values.compactMap(\.stringValue)))
        }
    }

    /// The bytes of the message, as compact JSON.
    package var bytes: [UInt8] {
        var members: [JSONMember] = []
        if let error = self.error { members.append(JSONMember(name: "error", value: error.json)) }
        if !self.metadata.isEmpty {
            let fields = self.metadata.map { field in
                JSONMember(name: field.name, value: .array(field.values.map { .string($0) }))
            }
            members.append(JSONMember(name: "metadata", value: .object(fields)))
        }
        return JSONValue.object(members).compactText
    }

    package static func == (left: ConnectEnd, right: ConnectEnd) -> Bool {
        left.error == right.error && left.metadata.elementsEqual(right.metadata) { $0 == $1 }
    }
}

/// The message of a unary Connect call with GET, which is in the query of the URL.
package struct ConnectQuery: Sendable, Equatable {
    /// The message, compressed if ``compression`` is set.
    package var message: [UInt8]
    /// The message encoding: `proto`, `json` or a custom name.
    package var codec: String
    /// The content coding of the message, such as `gzip`; `nil` if it is not compressed.
    package var compression: String?

    /// Reads the percent-decoded parameters of a query. Returns `nil` if they do not describe such a call.
    package init?(parameters: [(name: String, value: [UInt8])]) {
        func text(_ name: String) -> String? {
            parameters.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
        }
        guard let message = parameters.first(where: { $0.name == "message" })?.value, let codec = text("encoding")
        else {
            return nil
        }
        self.codec = codec
        self.compression = text("compression").flatMap { $0.isEmpty || $0 == "identity" ? nil : $0 }
        guard text("base64") == "1" else {
            self.message = message
            return
        }
        guard let decoded = message.withUnsafeBytes({ Base64.decodeEither($0) }) else { return nil }
        self.message = decoded
    }
}
