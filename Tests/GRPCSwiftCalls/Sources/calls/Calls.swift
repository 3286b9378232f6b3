import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// Makes calls of all four kinds to the server of `Tests/HTTP2Tests/go_calls`, and prints what it gets.
///
///     calls HOST PORT          in cleartext
///     calls HOST PORT CA.pem   over TLS
@main
struct Calls {
    private static let service = "demo.Words"
    private static let size = 10_500_000

    let client: GRPCClient<HTTP2ClientTransport.Posix>

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let port = Int(arguments[2]) else { fatalError("usage: calls HOST PORT [CA.pem]") }
        let transport = try HTTP2ClientTransport.Posix(
            target: .dns(host: arguments[1], port: port),
            transportSecurity: arguments.count < 4
                ? .plaintext
                : .tls { $0.trustRoots = .certificates([.file(path: arguments[3], format: .pem)]) }
        )
        try await withGRPCClient(transport: transport) { try await Calls(client: $0).make() }
    }

    private func make() async throws {
        for word in ["ada", "grace", "fail", String(repeating: "x", count: Self.size)] {
            print("unary:", await self.outcome { try await self.upper(word) })
        }
        print("repeat:", await self.outcome { try await self.repeated() })
        print("join:", await self.outcome { try await self.join() })
        print("talk:", await self.outcome { try await self.talk(1000) })
        let call = Task { try await self.talk(nil) }
        call.cancel()
        print("cancelled:", await self.outcome { try await call.value })
        var options = self.options
        options.timeout = .milliseconds(300)
        print("deadline:", await self.outcome { [options] in try await self.talk(nil, options) })
    }

    private func outcome(_ call: () async throws -> String) async -> String {
        do {
            return try await call()
        } catch let error as RPCError {
            let details = error.metadata[binaryValues: "grpc-status-details-bin"].reduce(0) { $0 + $1.count }
            return "\(error.code) \(error.message) \(details)"
        } catch {
            return "\(type(of: error))"
        }
    }

    private var options: CallOptions {
        var options = CallOptions.defaults
        options.maxRequestMessageBytes = Self.size * 2
        options.maxResponseMessageBytes = Self.size * 2
        return options
    }

    private func method(_ name: String) -> MethodDescriptor {
        MethodDescriptor(fullyQualifiedService: Self.service, method: name)
    }

    private func upper(_ word: String) async throws -> String {
        try await self.client.unary(
            request: ClientRequest(message: word),
            descriptor: self.method("Upper"),
            serializer: StringValue(),
            deserializer: StringValue(),
            options: self.options
        ) { response in
            let text = try response.message
            let metadata = [response.metadata["x-first"], response.trailingMetadata["x-deadline"]].map { Array($0) }
            return "\(text.utf8.count) bytes \(text.prefix(40)) \(metadata)"
        }
    }

    private func repeated() async throws -> String {
        try await self.client.serverStreaming(
            request: ClientRequest(message: "again"),
            descriptor: self.method("Repeat"),
            serializer: StringValue(),
            deserializer: StringValue(),
            options: self.options
        ) { response in
            var count = 0
            var last = ""
            for try await message in response.messages { (count, last) = (count + 1, message) }
            return "\(count) \(last)"
        }
    }

    private func join() async throws -> String {
        try await self.client.clientStreaming(
            request: StreamingClientRequest { writer in for number in 0..<1000 { try await writer.write("\(number)") }
            },
            descriptor: self.method("Join"),
            serializer: StringValue(),
            deserializer: StringValue(),
            options: self.options
        ) { response in "\(try response.message.utf8.count) bytes" }
    }

    /// Sends each message after the answer to the one before.
    ///
    /// - Parameter count: the number of messages; `nil` waits for an answer to nothing.
    private func talk(_ count: Int?, _ options: CallOptions? = nil) async throws -> String {
        let (turns, next) = AsyncStream.makeStream(of: Int.self)
        if count != nil { next.yield(0) }
        return try await self.client.bidirectionalStreaming(
            request: StreamingClientRequest { writer in
                for await turn in turns { try await writer.write("\(turn)") }
            },
            descriptor: self.method("Talk"),
            serializer: StringValue(),
            deserializer: StringValue(),
            options: options ?? self.options
        ) { response in
            var number = 0
            for try await message in response.messages {
                guard message == "you said \(number)" else { return "message \(number): \(message)" }
                number += 1
                if number == count { next.finish() } else { next.yield(number) }
            }
            return "\(number) messages"
        }
    }
}
