import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckLocking

/// The pieces of an archive, each read after the previous one was sent.
struct ArchiveDownload: AsyncSequence, Sendable {
    let source: ArchiveSource
    let threadPool: NIOThreadPool

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: Locked<ArchiveSource>
        fileprivate let threadPool: NIOThreadPool

        mutating func next() async throws -> ByteBuffer? {
            let source = self.source
            return try await self.threadPool.runIfActive {
                try source.withLock { source in try source.next().map { ByteBuffer(bytes: $0) } }
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: Locked(self.source), threadPool: self.threadPool)
    }
}
