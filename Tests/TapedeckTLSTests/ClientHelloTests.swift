import NIOCore
import Testing

@testable import TapedeckTLS

/// The requested host is known from a client's first bytes, however they are cut.
@Suite struct ClientHelloTests {
    private static func scan(_ bytes: some Sequence<UInt8>) -> ClientHello.Found {
        Array(bytes).withUnsafeBytes(ClientHello.scan)
    }

    /// Returns OpenSSL's first bytes.
    private static func hello(to host: String) throws -> [UInt8] {
        let context = try TLSClientContext(useSystemStore: false)
        let connection = try TLSConnection(client: context, host: host, verifiesPeer: true)
        _ = connection.handshake()
        return Array(connection.bio.takeOutbound().readableBytesView)
    }

    /// A hello with these extensions, `nil` for none at all, in one record.
    private static func made(_ extensions: [UInt8]?) -> [UInt8] {
        var body: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0x13, 0x01, 1, 0]
        if let extensions { body += Self.sized(extensions) }
        return Self.record([1, 0] + Self.sized(body))
    }

    private static func record(_ fragment: [UInt8]) -> [UInt8] { [22, 3, 1] + self.sized(fragment) }

    private static func sized(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func asking(for name: String) -> [UInt8] {
        let entry = [0] + self.sized(Array(name.utf8))
        return self.made([0, 0x17, 0, 0] + [0, 0] + self.sized(self.sized(entry)))
    }

    @Test func `the name is found once the message is complete, and never before`() throws {
        let hello = try Self.hello(to: "API.Example.test")
        #expect(Self.scan(hello) == .complete(.host("api.example.test")))
        #expect(Self.scan(hello + [1, 2, 3]) == .complete(.host("api.example.test")))
        for count in 0..<hello.count where Self.scan(hello[..<count]) != .incomplete {
            Issue.record("\(count) of \(hello.count) bytes are not incomplete")
        }
    }

    @Test(arguments: [1, 3, 50, 200])
    func `a message may be cut into several records`(_ size: Int) throws {
        let message = Array(try Self.hello(to: "api.example.test").dropFirst(5))
        var cut: [UInt8] = []
        for start in stride(from: 0, to: message.count, by: size) {
            cut += Self.record(Array(message[start..<min(start + size, message.count)]))
        }
        #expect(Self.scan(cut) == .complete(.host("api.example.test")))
        for count in 0..<cut.count where Self.scan(cut[..<count]) != .incomplete {
            Issue.record("\(count) of \(cut.count) bytes are not incomplete")
        }
    }

    @Test func `a client may name no host`() throws {
        #expect(Self.scan(try Self.hello(to: "127.0.0.1")) == .complete(.none))
        #expect(Self.scan(Self.made(nil)) == .complete(.none))
        #expect(Self.scan(Self.made([])) == .complete(.none))
    }

    @Test(arguments: ["127.0.0.1", "::1", "a b", "", "a..b", "a\u{0}.test", "ü.test"])
    func `invalid host names are distinguished`(_ name: String) {
        let shown = String(name.map { $0.isASCII && $0 > " " ? $0 : "?" })
        #expect(Self.scan(Self.asking(for: name)) == .complete(.unusable(shown)))
    }

    @Test func `case and a final dot do not count`() {
        #expect(Self.scan(Self.asking(for: "Api.Example.TEST.")) == .complete(.host("api.example.test")))
    }

    @Test func `an invalid hello is malformed, and so is a too large one`() {
        let hello = Self.asking(for: "api.example.test")
        func changed(_ index: Int, _ byte: UInt8) -> [UInt8] {
            var bytes = hello
            bytes[index] = byte
            return bytes
        }
        #expect(Self.scan(hello) == .complete(.host("api.example.test")))
        // The type of the record, its version, the type of the message.
        for (index, byte): (Int, UInt8) in [(0, 23), (1, 2), (5, 2)] {
            #expect(Self.scan(changed(index, byte)) == .malformed)
        }
        #expect(Self.scan([22, 3, 1, 0, 0]) == .malformed)
        #expect(Self.scan([22, 3, 1, 0x40, 1]) == .malformed)
        #expect(Self.scan([22, 3, 1, 0, 4, 1, 1, 0, 1]) == .malformed)
        // A vector that is longer than what it is in: cipher suites, extensions, the list of names.
        #expect(Self.scan(changed(5 + 4 + 34 + 1, 0xFF)) == .malformed)
        #expect(Self.scan(changed(5 + 4 + 34 + 7, 0xFF)) == .malformed)
        #expect(Self.scan(changed(hello.count - 21, 0xFF)) == .malformed)
    }

    @Test func `any byte may be anything`() {
        let hello = Self.asking(for: "api.example.test")
        var found: [ClientHello.Found] = []
        for index in hello.indices {
            for byte: UInt8 in [0, 1, 0x7F, 0xFF] {
                var bytes = hello
                bytes[index] = byte
                found.append(Self.scan(bytes))
            }
        }
        #expect(found.contains(.malformed))
        #expect(found.contains(.incomplete))
    }
}
