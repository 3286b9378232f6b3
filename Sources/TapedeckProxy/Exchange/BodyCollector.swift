import NIOCore
import TapedeckCassettes
import TapedeckCodings
import TapedeckCore
import TapedeckTLS

/// Gathers the body of a request whose answer depends on it.
final class BodyCollector {
    let fields: [HeaderField]
    private let limit: Int
    /// The body as it came; no more of it once it is over the limit and nobody can use the rest.
    private(set) var pieces: [ByteBuffer] = []
    private var kept = 0
    private let hasher = SHA256()
    private(set) var isOverLimit = false

    init(fields: [HeaderField], limit: Int) {
        self.fields = fields
        self.limit = limit
    }

    /// Returns `true` for the one piece that takes the body over the limit.
    func add(_ bytes: ByteBuffer) -> Bool {
        let wasOverLimit = self.isOverLimit
        bytes.withUnsafeReadableBytes { self.hasher.update($0) }
        self.isOverLimit = self.isOverLimit || self.kept + bytes.readableBytes > self.limit
        // The piece that crosses the limit is kept: in `append` mode all of the body so far is passed on from here.
        if self.kept <= self.limit {
            self.pieces.append(bytes)
            self.kept += bytes.readableBytes
        }
        return self.isOverLimit && !wasOverLimit
    }

    func observed() -> ObservedBody {
        guard !self.isOverLimit else { return ObservedBody(bytes: nil, sha256: self.hasher.finalizeHex()) }
        let bytes = self.pieces.flatMap { Array($0.readableBytesView) }
        let decoded = ContentCoder.decoded(bytes, self.fields, limit: self.limit * 16)
        return ObservedBody(bytes: decoded, sha256: self.hasher.finalizeHex())
    }
}
