import NIOCore
import TapedeckCore

/// The body of one stream on its way out, until the windows of the peer let it go.
struct HTTP2Output {
    /// The end of the stream after the whole body.
    enum End {
        case complete(trailers: [HeaderField])
        case reset(UInt32)
    }

    /// A part of the body, and who waits for it.
    private struct Part {
        var bytes: ByteBuffer
        var written: EventLoopPromise<Void>?
    }

    /// The number of waiting bytes at which the sender should wait: 128 KiB.
    static let limit = 128 << 10

    private var parts = CircularBuffer<Part>()
    /// The number of waiting bytes.
    private(set) var count = 0
    var end: End?
    /// True while the sender has to wait.
    private var isHeld = false

    /// True while the sender may continue.
    var isWritable: Bool { self.count < Self.limit }
    var isEmpty: Bool { self.parts.isEmpty }

    mutating func append(_ bytes: ByteBuffer, written: EventLoopPromise<Void>?) {
        self.parts.append(Part(bytes: bytes, written: written))
        self.count += bytes.readableBytes
        if !self.isWritable { self.isHeld = true }
    }

    /// Copies as much as fits into `target`, and returns the promises of the parts that were sent completely.
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

    /// Returns true once after the sender had to wait and may continue.
    mutating func hasDrained() -> Bool {
        guard self.isHeld, self.isWritable else { return false }
        self.isHeld = false
        return true
    }

    /// Drops the rest.
    mutating func drop() -> [EventLoopPromise<Void>] {
        let waiting = self.parts.compactMap(\.written)
        self.parts.removeAll()
        self.count = 0
        return waiting
    }
}
