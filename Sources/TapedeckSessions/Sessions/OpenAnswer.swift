package import NIOCore
package import TapedeckCore
import TapedeckLocking

/// The answer to a held request whose body comes part by part, as somebody sends it over the control API.
package final class OpenAnswer: Sendable {
    /// The way in which it ends.
    package enum Ending: String, Sendable, CaseIterable {
        case complete
        /// The connection is closed in the middle of the body.
        case cut
        /// The connection is reset.
        case reset
    }

    /// The client is gone, or the answer has ended.
    package struct Ended: Error {}

    package let number: Int
    package let take: Take
    private let eventLoop: any EventLoop
    private let out: NIOLoopBoundBox<(any OpenAnswerStream)?>

    init(_ number: Int, _ take: Take, on eventLoop: any EventLoop) {
        self.number = number
        self.take = take
        self.eventLoop = eventLoop
        self.out = NIOLoopBoundBox.makeEmptyBox(valueType: (any OpenAnswerStream).self, eventLoop: eventLoop)
    }

    /// Has parts go to a client, on its event loop; with `nil`, to none any more.
    package func connect(_ stream: (any OpenAnswerStream)?) {
        self.out.value = stream
    }

    /// Sends a part of the body.
    ///
    /// - Throws: ``Ended``.
    package func send(_ bytes: [UInt8]) async throws {
        try await self.eventLoop.submit {
            guard let stream = self.out.value else { throw Ended() }
            stream.send(ByteBuffer(bytes: bytes))
        }.get()
    }

    /// Ends the body. Nothing comes behind this.
    ///
    /// - Throws: ``Ended``.
    package func end(_ ending: Ending) async throws {
        try await self.eventLoop.submit {
            guard let stream = self.out.value else { throw Ended() }
            self.out.value = nil
            stream.end(ending)
        }.get()
    }

    /// Breaks off, where it has not ended: the session is over.
    func abandon() {
        self.eventLoop.execute {
            let stream = self.out.value
            self.out.value = nil
            stream?.end(.cut)
        }
    }
}

/// The receiver of the parts of an ``OpenAnswer``. Belongs to the event loop of the client's connection.
package protocol OpenAnswerStream: AnyObject {
    func send(_ bytes: ByteBuffer)
    func end(_ ending: OpenAnswer.Ending)
}

/// The open answers of a session, by the numbers of their requests.
final class OpenAnswers: Sendable {
    private struct State {
        var open: [Int: OpenAnswer] = [:]
        var isOver = false
    }

    private let state = Locked(State())

    subscript(number: Int) -> OpenAnswer? { self.state.withLock { $0.open[number] } }

    /// Returns `false`, and does not keep it, when the session is over.
    func add(_ answer: OpenAnswer) -> Bool {
        self.state.withLock { state in
            guard !state.isOver else { return false }
            state.open[answer.number] = answer
            return true
        }
    }

    func remove(_ number: Int) {
        self.state.withLock { $0.open[number] = nil }
    }

    var isEmpty: Bool { self.state.withLock { $0.open.isEmpty } }

    /// Takes all of them out; none is taken in any more.
    func end() -> [OpenAnswer] {
        self.state.withLock { state in
            state.isOver = true
            defer { state.open = [:] }
            return Array(state.open.values)
        }
    }
}
