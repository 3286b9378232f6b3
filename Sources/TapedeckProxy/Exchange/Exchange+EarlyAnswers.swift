import NIOCore
import TapedeckCore
import TapedeckProtobuf
import TapedeckSessions

/// The start of an answer to a call, which several sets would give.
struct EarlyStart {
    /// The number of messages that have been sent.
    var messages = 0
    /// Their frames.
    var bytes = ByteBuffer()

    var size: Int { self.bytes.readableBytes }

    /// True if the body of the response begins with what has been sent.
    func begins(_ response: PlayableResponse) -> Bool {
        response.file == nil && response.body.readableBytesView.starts(with: self.bytes.readableBytesView)
    }
}

/// Answers to calls whose set is not known yet.
extension Exchange {
    /// Sends messages at the start of a take.
    func sendEarly(_ play: Play, messages: Int) {
        let player = self.loop.player(for: play.tape)
        // One that must be prepared waits until its set is known, and so does one that goes on in another way.
        guard let response = player.ready(play.take, for: self.client, session: self.session),
            messages <= response.messageEnds.count
        else { return }
        var start = self.early ?? EarlyStart()
        guard messages > start.messages, start.begins(response) else { return }
        if self.early == nil {
            self.stream.sendHead(of: response)
        }
        let end = response.messageEnds[messages - 1]
        if let bytes = response.body.getSlice(at: response.body.readerIndex + start.size, length: end - start.size) {
            let written = self.loop.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in }
            self.stream.sendBody(bytes, of: response, written: written)
            start.bytes.writeImmutableBuffer(bytes)
        }
        start.messages = messages
        self.early = start
    }

    /// Ends an answer of which a part is out with a status, as nothing on tape goes on with it.
    func endEarly(_ answer: LocalResponse) {
        let answer = answer.forCall(.grpc)
        self.stream.sendEnd(trailers: answer.headers)
        self.end(.complete)
    }
}
