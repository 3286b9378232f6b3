import NIOCore

/// Plaintext that waits to be encrypted: in order, with a mark after what has been flushed.
struct PendingWrites {
    struct Write {
        var bytes: ByteBuffer
        var promise: EventLoopPromise<Void>?
    }

    private var queue = MarkedCircularBuffer<Write>(initialCapacity: 4)
    /// The rest of a write that OpenSSL could not take yet; flushed, and before everything else.
    private var rest: Write?

    /// True if flushed data is still pending.
    var hasFlushed: Bool {
        self.rest != nil || self.queue.hasMark
    }

    mutating func append(_ write: Write) {
        self.queue.append(write)
    }

    mutating func flush() {
        self.queue.mark()
    }

    /// Removes the next flushed write, joined with those after it as long as all fit into `limit` bytes, so that a head
    /// and its body share a record and its cost.
    mutating func next(joiningUpTo limit: Int) -> Write? {
        if let rest = self.rest {
            self.rest = nil
            return rest
        }
        guard self.queue.hasMark, var write = self.queue.popFirst() else {
            return nil
        }
        while self.queue.hasMark, let following = self.queue.first {
            guard write.bytes.readableBytes + following.bytes.readableBytes <= limit else {
                break
            }
            write.bytes.writeImmutableBuffer(following.bytes)
            write.promise = Self.join(write.promise, following.promise)
            _ = self.queue.popFirst()
        }
        return write
    }

    mutating func putBack(_ write: Write) {
        self.rest = write
    }

    /// Removes everything, flushed or not, so that the caller can fail it.
    mutating func removeAll() -> [EventLoopPromise<Void>] {
        let promises = ([self.rest].compactMap { $0 } + self.queue).compactMap(\.promise)
        self = PendingWrites()
        return promises
    }

    /// Removes the writes that were not flushed.
    mutating func removeUnflushed() -> [EventLoopPromise<Void>] {
        var flushed: [Write] = []
        while self.queue.hasMark, let write = self.queue.popFirst() {
            flushed.append(write)
        }
        let promises = self.queue.compactMap(\.promise)
        self.queue = MarkedCircularBuffer(initialCapacity: 4)
        for write in flushed {
            self.queue.append(write)
        }
        if !flushed.isEmpty {
            self.queue.mark()
        }
        return promises
    }

    /// Returns one promise that completes both.
    static func join(
        _ first: EventLoopPromise<Void>?,
        _ second: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void>? {
        guard let first else {
            return second
        }
        first.futureResult.cascade(to: second)
        return first
    }
}
