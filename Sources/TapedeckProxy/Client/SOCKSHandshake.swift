import TapedeckPlatform

/// The messages of a SOCKS client before its tunnel: SOCKS5 (RFC 1928) with a user name and password (RFC 1929) or
/// without, SOCKS4 and SOCKS4a.
///
///     SOCKS5:  methods ──▶ (credentials ──▶) request ──▶ connect
///     SOCKS4:  request ──▶ connect
///
/// - Credentials are not checked here; they name a session.
/// - The machine gets all unconsumed bytes, and consumes nothing before a message is complete.
struct SOCKSHandshake: Equatable, Sendable {
    /// The first byte of every message of a client.
    enum Version: UInt8, Sendable {
        case four = 4
        case five = 5
    }

    /// A request for a tunnel.
    struct Request: Equatable, Sendable {
        /// A name or an address, without brackets.
        var host: String
        var port: Int
        /// The user name, with the password behind a colon if there is one; `nil` if the client gave none.
        var credentials: [UInt8]?
    }

    enum Step: Equatable, Sendable {
        case incomplete
        /// The bytes go to the client, which sends more then.
        case reply([UInt8])
        case connect(Request)
        /// The bytes go to the client, and the connection ends.
        case refuse([UInt8], reason: String)
    }

    private enum State: Equatable {
        case methods
        case credentials
        case request
    }

    /// Reasons of RFC 1928 section 6 for refusing a request.
    enum Refusal: UInt8, Sendable {
        case generalFailure = 1
        case notAllowed = 2
        case commandNotSupported = 7
        case addressTypeNotSupported = 8
    }

    let version: Version
    private var state: State
    private var credentials: [UInt8]?

    init(_ version: Version) {
        self.version = version
        self.state = version == .five ? .methods : .request
    }

    /// The reply that accepts a tunnel. The bound address is left out, because clients that connect do not need it.
    static func success(_ version: Version) -> [UInt8] {
        version == .five ? [5, 0, 0, 1, 0, 0, 0, 0, 0, 0] : [0, 0x5A, 0, 0, 0, 0, 0, 0]
    }

    /// The reply to a request that gets no tunnel.
    static func refusal(_ version: Version, _ refusal: Refusal) -> [UInt8] {
        version == .five ? [5, refusal.rawValue, 0, 1, 0, 0, 0, 0, 0, 0] : [0, 0x5B, 0, 0, 0, 0, 0, 0]
    }

    /// Reads one message. Returns the number of bytes that it took and what follows from it.
    mutating func next(_ bytes: UnsafeRawBufferPointer) -> (consumed: Int, step: Step) {
        var reader = Reader(bytes)
        do {
            let step: Step
            switch self.state {
            case .methods: step = try self.readMethods(&reader)
            case .credentials: step = try self.readCredentials(&reader)
            case .request: step = try self.version == .five ? self.readRequest5(&reader) : self.readRequest4(&reader)
            }
            return (reader.offset, step)
        } catch {
            return (0, .incomplete)
        }
    }

    // MARK: SOCKS5

    private mutating func readMethods(_ reader: inout Reader) throws(Incomplete) -> Step {
        _ = try reader.byte()
        let methods = try reader.bytes(Int(reader.byte()))
        // A client that has credentials offers both.
        if methods.contains(2) {
            self.state = .credentials
            return .reply([5, 2])
        }
        guard methods.contains(0) else {
            return .refuse([5, 0xFF], reason: "the client offers neither user name and password nor no authentication")
        }
        self.state = .request
        return .reply([5, 0])
    }

    private mutating func readCredentials(_ reader: inout Reader) throws(Incomplete) -> Step {
        guard try reader.byte() == 1 else { return .refuse([1, 1], reason: "the version of the credentials is not 1") }
        let name = try reader.bytes(Int(reader.byte()))
        let password = try reader.bytes(Int(reader.byte()))
        self.credentials = Self.credentials(name, password)
        self.state = .request
        return .reply([1, 0])
    }

    private func readRequest5(_ reader: inout Reader) throws(Incomplete) -> Step {
        guard try reader.byte() == 5 else { return self.refuse(.generalFailure, "the version of the request is not 5") }
        let command = try reader.byte()
        _ = try reader.byte()
        let host: String
        switch try reader.byte() {
        case 1: host = Self.address(AF_INET, try reader.bytes(4))
        case 3: host = String(decoding: try reader.bytes(Int(reader.byte())), as: UTF8.self)
        case 4: host = Self.address(AF_INET6, try reader.bytes(16))
        default: return self.refuse(.addressTypeNotSupported, "the type of the address is unknown")
        }
        let port = try reader.port()
        guard command == 1 else { return self.refuse(.commandNotSupported, "only CONNECT is supported") }
        return .connect(Request(host: host, port: port, credentials: self.credentials))
    }

    // MARK: SOCKS4

    private func readRequest4(_ reader: inout Reader) throws(Incomplete) -> Step {
        _ = try reader.byte()
        let command = try reader.byte()
        let port = try reader.port()
        let address = try reader.bytes(4)
        guard let name = try reader.text() else { return self.refuse(.generalFailure, "the user name is too long") }
        var host = Self.address(AF_INET, address)
        // SOCKS4a: an address 0.0.0.x that is not 0.0.0.0 says that a name follows.
        if address[0...2].allSatisfy({ $0 == 0 }), address[3] != 0 {
            guard let text = try reader.text() else { return self.refuse(.generalFailure, "the host name is too long") }
            host = String(decoding: text, as: UTF8.self)
        }
        guard command == 1 else { return self.refuse(.commandNotSupported, "only CONNECT is supported") }
        return .connect(Request(host: host, port: port, credentials: Self.credentials(name, [])))
    }

    // MARK: Parts

    private func refuse(_ refusal: Refusal, _ reason: String) -> Step {
        .refuse(Self.refusal(self.version, refusal), reason: reason)
    }

    private static func credentials(_ name: [UInt8], _ password: [UInt8]) -> [UInt8]? {
        if name.isEmpty { return nil }
        return password.isEmpty ? name : name + [UInt8(ascii: ":")] + password
    }

    private static func address(_ family: Int32, _ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private struct Incomplete: Error {}

    private struct Reader {
        /// The longest text of SOCKS4, in bytes: that of a length in one byte, as SOCKS5 has it.
        private static let textLimit = 255

        private let bytes: UnsafeRawBufferPointer
        private(set) var offset = 0

        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        mutating func byte() throws(Incomplete) -> UInt8 {
            guard self.offset < self.bytes.count else { throw Incomplete() }
            defer { self.offset += 1 }
            return self.bytes[self.offset]
        }

        mutating func bytes(_ count: Int) throws(Incomplete) -> [UInt8] {
            guard self.bytes.count - self.offset >= count else { throw Incomplete() }
            defer { self.offset += count }
            return Array(self.bytes[self.offset..<self.offset + count])
        }

        mutating func port() throws(Incomplete) -> Int {
            let high = try self.byte()
            return try Int(high) << 8 | Int(self.byte())
        }

        /// Returns the text up to a zero byte; `nil` if it is too long.
        mutating func text() throws(Incomplete) -> [UInt8]? {
            var text: [UInt8] = []
            while true {
                let byte = try self.byte()
                if byte == 0 { return text }
                guard text.count < Self.textLimit else { return nil }
                text.append(byte)
            }
        }
    }
}
