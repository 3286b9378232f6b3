import COpenSSL
import NIOCore
import TapedeckPlatform

/// The two ends that OpenSSL reads ciphertext from and writes it to, as byte buffers of a channel.
///
/// Not `Sendable`: used on its channel's event loop only, and only by the `SSL` it belongs to.
final class ChannelBIO {
    /// Ciphertext from the peer that OpenSSL has not taken yet.
    private var inbound = ByteBuffer()
    /// Ciphertext for the peer that the handler has not taken yet.
    private(set) var outbound = ByteBuffer()

    var hasInbound: Bool {
        self.inbound.readableBytes > 0
    }

    var inboundCount: Int {
        self.inbound.readableBytes
    }

    /// Adds what the peer sent.
    func receive(_ bytes: ByteBuffer) {
        if self.hasInbound {
            self.inbound.writeImmutableBuffer(bytes)
        } else {
            self.inbound = bytes
        }
    }

    /// Lets go of memory that has been read to its end, so that an idle connection holds none.
    func releaseInbound() {
        if !self.hasInbound {
            self.inbound = ByteBuffer()
        }
    }

    /// Makes room, so that `count` bytes of ciphertext need no second allocation.
    func reserve(_ count: Int, from allocator: ByteBufferAllocator) {
        if self.outbound.readableBytes == 0 {
            self.outbound = allocator.buffer(capacity: count)
        }
    }

    func takeOutbound() -> ByteBuffer {
        let bytes = self.outbound
        self.outbound = ByteBuffer()
        return bytes
    }

    /// A BIO over this object, owned by the caller.
    ///
    /// The BIO holds no reference. That is sound because `TLSConnection` owns both this object and
    /// the `SSL` with the BIO, and frees the `SSL` in its `deinit`, when its properties still live.
    func makeBIO() throws -> OpaquePointer {
        let bio = try require(BIO_new(Self.method), "make a BIO")
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    private static func of(_ bio: OpaquePointer?) -> ChannelBIO? {
        BIO_get_data(bio).map { Unmanaged<ChannelBIO>.fromOpaque($0).takeUnretainedValue() }
    }

    // nonisolated(unsafe) is sound: set once, under the lock of a global's initialiser, and OpenSSL
    // only reads a method that is in use. Nil when memory was exhausted; BIO_new then refuses.
    nonisolated(unsafe) private static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "channel") else {
            return nil
        }
        BIO_meth_set_read_ex(method) { bio, target, count, done in
            tapedeck_BIO_clear_retry_flags(bio)
            guard let target, let read = ChannelBIO.of(bio)?.read(into: target, count: count), read > 0 else {
                // Also at the end of the stream, which the handler judges by itself.
                tapedeck_BIO_set_retry_read(bio)
                return 0
            }
            done?.pointee = read
            return 1
        }
        BIO_meth_set_write_ex(method) { bio, source, count, done in
            tapedeck_BIO_clear_retry_flags(bio)
            guard let channel = ChannelBIO.of(bio) else {
                return 0
            }
            channel.outbound.writeBytes(UnsafeRawBufferPointer(start: source, count: count))
            done?.pointee = count
            return 1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }()

    private func read(into target: UnsafeMutablePointer<CChar>, count: Int) -> Int {
        self.inbound.readWithUnsafeReadableBytes { bytes in
            let taken = min(bytes.count, count)
            if taken > 0, let start = bytes.baseAddress {
                memcpy(target, start, taken)
            }
            return taken
        }
    }
}

@available(*, unavailable)
extension ChannelBIO: Sendable {}
