import Foundation
import NIOCore
import TapedeckCore
import TestShare
import Testing

@testable import TapedeckHTTP2

/// Bytes of a conversation with changes at random: an end may refuse them, and must neither crash nor hold more than its
/// limits.
struct HTTP2FuzzTests {
    /// An end that answers, and consumes some of what it gets.
    private final class Peer: HTTP2SessionDelegate {
        let session: HTTP2Session
        private let role: HTTP2Session.Role
        /// Bytes of bodies that were not consumed.
        private(set) var held = 0
        private var streams: [Int32] = []

        init(_ role: HTTP2Session.Role) throws {
            self.role = role
            self.session = try HTTP2Session(role)
            self.session.delegate = self
        }

        func received(_ head: HTTP2Head, on stream: Int32, endsStream: Bool) {
            self.streams.append(stream)
            _ = (head.fields, head.linesWithWholeCookies, head.form, head.status)
            guard self.role == .server else { return }
            switch stream % 8 {
            case 1: self.session.respond(on: stream, HTTP2Fields(status: 204, []), endsStream: true)
            case 3:
                self.session.inform(on: stream, status: 103, [HeaderField("link", "</a>")])
                self.session.respond(on: stream, HTTP2Fields(status: 200, [HeaderField("a", "b")]), endsStream: false)
                self.session.send(ByteBuffer(repeating: 7, count: 50_000), on: stream)
                self.session.end(stream, trailers: [HeaderField("x", "y")])
            case 5:
                self.session.respond(on: stream, HTTP2Fields(status: 200, []), endsStream: false)
                self.session.send(ByteBuffer(string: "half"), on: stream)
                self.session.reset(stream, code: .cancel)
            default: break
            }
        }

        func received(_ bytes: ByteBuffer, on stream: Int32) {
            if stream % 8 == 7 {
                self.held += bytes.readableBytes
            } else {
                self.session.consume(bytes.readableBytes, of: stream)
            }
        }

        func receivedEnd(of stream: Int32) {}
        func becameWritable(_ stream: Int32) {}
        func closed(_ stream: Int32, code: UInt32) { self.streams.removeAll { $0 == stream } }
        func goesAway(lastStream: Int32, code: UInt32) {}

        /// Sends requests of several kinds.
        func ask() {
            for number in 0..<6 {
                let fields = (0..<number).map { HeaderField("x-\($0)", String(repeating: "v", count: $0 * 40)) }
                let crumbs = [HeaderField("cookie", "a=\(number)"), HeaderField("cookie", "b=2")]
                let stream = self.session.request(
                    [
                        (.method, number % 2 == 0 ? "GET" : "POST"), (.scheme, "https"), (.authority, "a"),
                        (.path, "/\(number)"),
                    ],
                    fields + crumbs,
                    endsStream: number % 2 == 0
                )
                guard let stream, number % 2 == 1 else { continue }
                self.session.send(ByteBuffer(repeating: 1, count: number * 9_000), on: stream)
                self.session.end(stream, trailers: number == 5 ? [HeaderField("t", "u")] : [])
            }
        }

        /// All that it has to say now.
        func written() -> [UInt8] {
            var bytes = ByteBuffer()
            while self.session.write(to: &bytes) { self.session.tellWritten() }
            return Array(bytes.readableBytesView)
        }
    }

    /// The lines of each end in a conversation where nothing goes wrong.
    private static func conversation() throws -> (client: [UInt8], server: [UInt8]) {
        let (client, server) = (try Peer(.client), try Peer(.server))
        client.ask()
        var said: (client: [UInt8], server: [UInt8]) = ([], [])
        while true {
            let (one, other) = (client.written(), server.written())
            if one.isEmpty, other.isEmpty { return said }
            said.client += one
            said.server += other
            try server.session.receive(ByteBuffer(bytes: one))
            try client.session.receive(ByteBuffer(bytes: other))
        }
    }

    private static func mutated(_ bytes: [UInt8], by generator: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, index + Int.random(in: 1...64, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.insert(contentsOf: bytes[index..<end], at: index)
            case 3: bytes.removeSubrange(index..<end)
            case 4:
                // The head of a frame of any kind.
                let stream = UInt8.random(in: 0...16, using: &generator)
                let kind = UInt8.random(in: 0...10, using: &generator)
                let flags = UInt8.random(in: 0...255, using: &generator)
                let length = UInt8.random(in: 0...16, using: &generator)
                let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
                bytes.insert(contentsOf: [0, 0, length, kind, flags, 0, 0, 0, stream] + payload, at: index)
            default: bytes.append(contentsOf: bytes[index..<end])
            }
            if bytes.isEmpty { bytes = [0] }
        }
        return bytes
    }

    @Test(.long, arguments: [HTTP2Session.Role.server, .client], seeds(50))
    func `corrupted bytes do not crash a session or exceed its limits`(role: HTTP2Session.Role, seed: UInt64) throws {
        let said = try Self.conversation()
        let limits = HTTP2Session.Limits()
        var generator = SeededRandom(seed: seed)
        for round in 0..<10 {
            let peer = try Peer(role)
            if role == .client { peer.ask() }
            var answered = peer.written().count
            let bytes = Self.mutated(role == .server ? said.client : said.server, by: &generator)
            var rest = bytes[...]
            while !rest.isEmpty, !peer.session.isOver {
                let piece = rest.prefix(Int.random(in: 1...4_000, using: &generator))
                rest = rest.dropFirst(piece.count)
                do {
                    try peer.session.receive(ByteBuffer(bytes: piece))
                } catch {
                    #expect(peer.session.isOver)
                }
                answered += peer.written().count
            }
            #expect(peer.held <= Int(limits.connectionWindow), "round \(round)")
            #expect(answered < 4 << 20, "round \(round)")
        }
    }
}
