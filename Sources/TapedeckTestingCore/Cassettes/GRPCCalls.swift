public import Foundation

extension Tapedeck {
    /// A message of a gRPC call, in an answer or in a condition.
    public struct GRPCMessage: Sendable, Equatable {
        let shape: Tapedeck.JSON

        private init(_ key: String, _ value: String) {
            self.shape = [key: Tapedeck.JSON(value)]
        }

        private init(shape: Tapedeck.JSON) {
            self.shape = shape
        }

        /// An encoded message, such as `serializedData()` of swift-protobuf returns.
        public static func data(_ data: Data) -> Self { Self("base64", data.base64EncodedString()) }

        /// A message as a cassette without descriptors shows it: the number, a colon and the value of each field.
        ///
        /// ```swift
        /// .proto(#"1: "ada" 2: { 1: 7 }"#)
        /// ```
        public static func proto(_ text: String) -> Self { Self("proto", text) }

        /// In a condition, any message.
        public static let any = Self(shape: Tapedeck.JSON([] as [Tapedeck.JSON.Member]))

        /// In an answer, a message that goes out once this many messages of the request have come. Without it, a message goes
        /// out after the whole request.
        public func after(_ count: Int) -> Self {
            let members = (self.shape.members ?? []).filter { $0.name != "after" }
            return Self(shape: Tapedeck.JSON(members + [Tapedeck.JSON.Member("after", Tapedeck.JSON(count))]))
        }
    }

    /// The status of a gRPC call, with the names of the specification.
    public enum GRPCStatus: String, Sendable, CaseIterable {
        case ok = "OK"
        case cancelled = "CANCELLED"
        case unknown = "UNKNOWN"
        case invalidArgument = "INVALID_ARGUMENT"
        case deadlineExceeded = "DEADLINE_EXCEEDED"
        case notFound = "NOT_FOUND"
        case alreadyExists = "ALREADY_EXISTS"
        case permissionDenied = "PERMISSION_DENIED"
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        case failedPrecondition = "FAILED_PRECONDITION"
        case aborted = "ABORTED"
        case outOfRange = "OUT_OF_RANGE"
        case unimplemented = "UNIMPLEMENTED"
        case `internal` = "INTERNAL"
        case unavailable = "UNAVAILABLE"
        case dataLoss = "DATA_LOSS"
        case unauthenticated = "UNAUTHENTICATED"
    }
}

extension Tapedeck.Answer {
    /// An answer to a gRPC call.
    ///
    /// ```swift
    /// try .grpc(.data(reply.serializedData()))
    /// .grpc(status: .notFound, message: "no such person")
    /// ```
    ///
    /// - Parameters:
    ///   - messages: in their order. A status without messages stands in the head of the response, as servers send errors.
    ///   - status: the status of the call.
    ///   - message: the text of the status.
    public static func grpc(
        _ messages: Tapedeck.GRPCMessage...,
        status: Tapedeck.GRPCStatus = .ok,
        message: String? = nil
    ) -> Self {
        self.grpc(messages, status: status, message: message)
    }

    /// An answer to a gRPC call, as ``grpc(_:status:message:)``.
    public static func grpc(
        _ messages: [Tapedeck.GRPCMessage],
        status: Tapedeck.GRPCStatus = .ok,
        message: String? = nil
    ) -> Self {
        var take = StaticTake(status: nil)
        take.call = StaticTake.Call(
            messages: messages.isEmpty && status != .ok ? nil : messages.map(\.shape),
            status: status == .ok ? nil : status,
            message: message
        )
        return Self(take)
    }
}

extension RequestMatcher {
    /// Calls of a gRPC method of any server.
    ///
    /// - Parameters:
    ///   - method: such as `package.Service/Method`.
    ///   - messages: a condition on each message of the request, in their order; `nil` for any messages.
    public static func grpc(_ method: String, messages: [Tapedeck.GRPCMessage]? = nil) -> Self {
        var matcher = Self([], url: .call(method))
        matcher.messages = messages?.map(\.shape)
        return matcher
    }
}
