import Testing

@testable import TapedeckProxy

/// Conversations with SOCKS clients, byte by byte and all at once.
@Suite struct SOCKSHandshakeTests {
    private static let host = Array("api.example".utf8)
    private static let port: [UInt8] = [0x01, 0xBB]
    private static let named = [5, 1, 0, 3, UInt8(host.count)] + host + port

    /// Feeds messages one byte at a time. Returns the steps that were taken.
    private static func talk(_ version: SOCKSHandshake.Version, _ bytes: [UInt8]) -> [SOCKSHandshake.Step] {
        var handshake = SOCKSHandshake(version)
        var steps: [SOCKSHandshake.Step] = []
        var waiting: [UInt8] = []
        for byte in bytes {
            waiting.append(byte)
            let (consumed, step) = waiting.withUnsafeBytes { handshake.next($0) }
            guard step != .incomplete else {
                #expect(consumed == 0)
                continue
            }
            #expect(consumed == waiting.count)
            waiting.removeFirst(consumed)
            steps.append(step)
        }
        #expect(waiting.isEmpty)
        return steps
    }

    private static func request(_ host: String, _ credentials: String? = nil) -> SOCKSHandshake.Step {
        .connect(SOCKSHandshake.Request(host: host, port: 443, credentials: credentials.map { Array($0.utf8) }))
    }

    @Test func `version 5 without credentials`() {
        #expect(Self.talk(.five, [5, 1, 0] + Self.named) == [.reply([5, 0]), Self.request("api.example")])
    }

    @Test func `version 5 with user name and password, which are preferred`() {
        let credentials: [UInt8] = [1, 2, 0x61, 0x62, 1, 0x63]
        #expect(
            Self.talk(.five, [5, 2, 0, 2] + credentials + Self.named)
                == [.reply([5, 2]), .reply([1, 0]), Self.request("api.example", "ab:c")]
        )
        let nameOnly: [UInt8] = [1, 2, 0x61, 0x62, 0]
        #expect(Self.talk(.five, [5, 1, 2] + nameOnly + Self.named).last == Self.request("api.example", "ab"))
    }

    @Test func `addresses in place of names`() {
        #expect(Self.talk(.five, [5, 1, 0, 5, 1, 0, 1, 10, 0, 0, 1] + Self.port).last == Self.request("10.0.0.1"))
        let address = [UInt8](repeating: 0, count: 15) + [1]
        #expect(Self.talk(.five, [5, 1, 0, 5, 1, 0, 4] + address + Self.port).last == Self.request("::1"))
        #expect(Self.talk(.four, [4, 1] + Self.port + [10, 0, 0, 1, 0]) == [Self.request("10.0.0.1")])
    }

    @Test func `version 4a has a host after the user`() {
        let named = [4, 1] + Self.port + [0, 0, 0, 1, 0x61, 0] + Self.host + [0]
        #expect(Self.talk(.four, named) == [Self.request("api.example", "a")])
    }

    @Test func `an unsupported command is refused with its own code`() {
        func refusal(_ version: SOCKSHandshake.Version, _ bytes: [UInt8]) -> [UInt8]? {
            if case .refuse(let reply, _) = Self.talk(version, bytes).last { reply } else { nil }
        }
        // Only GSSAPI is offered; BIND; an unknown kind of address; BIND in version 4.
        #expect(refusal(.five, [5, 1, 1]) == [5, 0xFF])
        #expect(refusal(.five, [5, 1, 0, 5, 2, 0, 1, 1, 2, 3, 4, 0, 80])?[1] == 7)
        #expect(refusal(.five, [5, 1, 0, 5, 1, 0, 9])?[1] == 8)
        #expect(refusal(.four, [4, 2, 0, 80, 1, 2, 3, 4, 0])?[1] == 0x5B)
    }

    @Test func `bytes after a message are left`() {
        var handshake = SOCKSHandshake(.five)
        let bytes: [UInt8] = [5, 1, 0, 5, 1]
        let (consumed, step) = bytes.withUnsafeBytes { handshake.next($0) }
        #expect(consumed == 3)
        #expect(step == .reply([5, 0]))
    }
}
