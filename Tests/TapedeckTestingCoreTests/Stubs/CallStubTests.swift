import Foundation
import TapedeckTestingCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stubs for calls of gRPC, which URLSession makes over HTTP/1.1.
@Suite(.timeLimit(.minutes(20)))
struct CallStubTests {
    /// The message `{ 1: text }` of protobuf, in the frame of gRPC.
    private static func frame(_ text: String) -> Data {
        let message = Data([0x0A, UInt8(text.utf8.count)] + Array(text.utf8))
        return Data([0, 0, 0, 0, UInt8(message.count)]) + message
    }

    private static func call(_ deck: Tapedeck, _ method: String, _ text: String) async throws -> (Data, HTTPURLResponse)
    {
        var request = URLRequest(url: try #require(URL(string: "https://api.example/demo.Greeter/\(method)")))
        request.httpMethod = "POST"
        request.httpBody = Self.frame(text)
        request.setValue("application/grpc", forHTTPHeaderField: "Content-Type")
        let (data, response) = try await deck.urlSession().data(for: request)
        return (data, try #require(response as? HTTPURLResponse))
    }

    @Test func `a call gets the messages of the stub that its own match`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(
                .grpc("demo.Greeter/SayHello", messages: [.any]),
                .grpc(.data(Self.frame("Hello you").dropFirst(5)), .proto(#"1: "Bye""#))
            )
            try await deck.stub(
                .grpc("demo.Greeter/SayHello", messages: [.proto(#"1: "ada""#)]),
                .grpc(.proto(#"1: "Hello ada""#)).header("x-first", "1")
            )
            let (ada, response) = try await Self.call(deck, "SayHello", "ada")
            #expect(ada == Self.frame("Hello ada"))
            #expect(response.value(forHTTPHeaderField: "content-type") == "application/grpc")
            #expect(response.value(forHTTPHeaderField: "x-first") == "1")
            let (other, _) = try await Self.call(deck, "SayHello", "grace")
            #expect(other == Self.frame("Hello you") + Self.frame("Bye"))
            deck.expect(.grpc("demo.Greeter/SayHello"), .exactly(2))
        }
    }

    @Test func `a status without messages is in the head`() async throws {
        try await withTapedeck { deck in
            try await deck.stub(.grpc("demo.Greeter/Fail"), .grpc(status: .notFound, message: "nobody"))
            let (data, response) = try await Self.call(deck, "Fail", "ada")
            #expect(data.isEmpty)
            #expect(response.statusCode == 200)
            #expect(response.value(forHTTPHeaderField: "grpc-status") == "5")
            #expect(response.value(forHTTPHeaderField: "grpc-message") == "nobody")
        }
    }

    @Test(arguments: zip(Tapedeck.GRPCStatus.allCases.dropFirst(), 1...16))
    func `every status but ok has its number in the head`(status: Tapedeck.GRPCStatus, number: Int) async throws {
        try await withTapedeck { deck in
            try await deck.stub(.grpc("demo.Greeter/Fail"), .grpc([], status: status))
            let (_, response) = try await Self.call(deck, "Fail", "ada")
            #expect(response.value(forHTTPHeaderField: "grpc-status") == "\(number)")
        }
    }
}
