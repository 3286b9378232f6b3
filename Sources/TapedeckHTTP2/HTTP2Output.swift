import NIOCore
import TapedeckCore

/// The body of one stream on its way out, until the windows of the peer let it go.
struct HTTP2Output {
    /// How the stream ends once all of the body has gone out.
    enum End {
        case complete(trailers: [HeaderField])
        case reset(UInt32)
    }

    /// A part of the body, and who waits for it.
    private struct Part {
        var bytes: ByteBuffer
        var written: EventLoopPromise<Void>?
    }

    /// How much may wait before its sender should: 128 KiB.
    static let limit = 128 << 10

    private var parts = CircularBuffer<Part>()
    /// How many bytes wait.
    private(set) var count = 0
    var end: End?
    /// The sender was told to wait, and not yet that it may go on.
    private var isHeld = false

    /// True while the sender may go on.
    var isWritable: Bool { self.count < Self.limit }
    var isEmpty: Bool { self.parts.isEmpty }

    mutating func append(_ bytes: ByteBuffer, written: EventLoopPromise<Void>?) {
        self.parts.append(Part(bytes: bytes, written: written))
        self.count += bytes.readableBytes
        if !self.isWritable { self.isHeld = true }
    }

    /// Copies as much as fits into `target`, and hands over the promises of what has gone out whole.
    mutating func take(into target: UnsafeMutableRawBufferPointer, _ written: inout [EventLoopPromise<Void>]) -> Int {
        var filled = 0
        while filled < target.count, !self.parts.isEmpty {
            let index = self.parts.startIndex
            let length = min(target.count - filled, self.parts[index].bytes.readableBytes)
            self.parts[index].bytes.readWithUnsafeReadableBytes { bytes in
                let slice = UnsafeRawBufferPointer(rebasing: bytes[..<length])
                UnsafeMutableRawBufferPointer(rebasing: target[filled..<filled + length]).copyMemory(from: slice)
                return length
            }
            filled += length
            guard self.parts[index].bytes.readableBytes == 0 else { break }
            if let promise = self.parts.removeFirst().written { written.append(promise) }
        }
        self.count -= filled
        return filled
    }

    /// Returns true once after the sender had to wait and may go on.
    mutating func hasDrained() -> Bool {
        guard self.isHeld, self.isWritable else { return false }
        self.isHeld = false
        return true
    }

    /// Nobody takes the rest.
    mutating func drop() -> [EventLoopPromise<Void>] {
        let waiting = self.parts.compactMap(\.written)
        self.parts.removeAll()
        self.count = 0
        return waiting
    }
}
