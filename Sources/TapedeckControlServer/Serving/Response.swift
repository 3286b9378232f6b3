import NIOCore
import TapedeckCore
import TapedeckHTTP1

/// A response of the control API.
struct Response: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// Written piece by piece, each once the client has taken the previous one.
        case pieces(@Sendable (ResponseWriter) async throws -> Void)
    }

    var status: Int
    private(set) var fields: [HeaderField] = []
    /// `nil` for a status without content.
    var body: Body?

    init(status: Int = 200, _ fields: [(name: String, value: String)] = [], _ body: Body? = nil) {
        self.status = status
        self.fields = fields.map { HeaderField($0.name, $0.value) }
        self.body = body
    }

    /// The value of a header field; `nil` for none.
    subscript(name: String) -> String? {
        get { self.fields.first(named: name) }
        set {
            self.fields.removeAll { $0.isNamed(name) }
            if let newValue { self.fields.append(HeaderField(name, newValue)) }
        }
    }
}

/// The content of a response in pieces.
struct ResponseWriter: Sendable {
    let channel: any Channel
    let isChunked: Bool

    /// Returns once the piece has left.
    func write(_ piece: ByteBuffer) async throws {
        guard piece.readableBytes > 0 else { return }
        var bytes = piece
        if self.isChunked {
            bytes = ByteBuffer()
            WireHead.writeChunk(piece, to: &bytes)
        }
        try await self.channel.writeAndFlush(bytes).get()
    }
}
