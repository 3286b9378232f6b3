import Logging
import NIOCore
import TapedeckCore
import TapedeckTLS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// From the decision to the bytes of the answer.
extension ClientConnection {
    // MARK: Playing

    func play(_ number: Int, for client: ClientAbilities) {
        let tape = self.deck.session.tape
        if tape.kind(ofTake: number).contains(.fault), let fault = tape.takes[number].fault {
            let take = tape.takes[number]
            self.phase = .answering
            self.playFault(UpstreamFailure(fault: fault, detail: take.detail), for: client)
            return
        }
        if let response = self.loop.player.ready(number, for: client) {
            self.send(response, for: client)
            return
        }
        self.phase = .answering
        self.loop.player.prepare(number, for: client).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response):
                self.loop.player.keep(response, take: number, client: client)
                self.send(response, for: client)
            case .failure(let error):
                self.answer(self.unreadable(error), for: client)
            }
            self.process()
            self.context?.flush()
        }
    }

    private func send(_ response: PlayableResponse, for client: ClientAbilities) {
        guard let context = self.context else { return }
        context.write(self.wrapOutboundOut(response.bytes), promise: nil)
        guard let file = response.file else {
            self.finishAnswer(response.ending)
            return
        }
        self.phase = .answering
        let sender = FileSender(file: file, response: response, deck: self.deck)
        sender.send(on: context).assumeIsolated().whenComplete { result in
            switch result {
            case .success:
                self.finishAnswer(response.ending)
            case .failure(let error):
                self.deck.log.error("cannot play a body file", metadata: ["file": "\(file.path)", "error": "\(error)"])
                self.finishAnswer(.cut)
            }
            self.process()
            self.context?.flush()
        }
    }

    /// The fault of a take, or of a live exchange: the client meets the same.
    func playFault(_ failure: UpstreamFailure, for client: ClientAbilities) {
        switch failure.fault {
        case .connectionRefused, .timeout, .tlsHandshake, .nameNotResolved, .malformedResponse:
            let line = self.request?.line ?? self.lineOfKey
            guard let answer = OwnAnswer.gateway(failure, line) else { return }
            self.answer(answer, for: client)
        case .connectionReset:
            self.reset()
        case .emptyResponse, .truncatedBody:
            self.finishAnswer(.cut)
        }
    }

    private func unreadable(_ error: any Error) -> OwnAnswer {
        self.deck.log.error("cannot play a take", metadata: ["error": "\(error)"])
        return OwnAnswer(
            status: 500,
            body: .object([
                ("error", .string("unreadableTake")),
                ("message", .string("Tapedeck has a take for this request but cannot read its body: \(error)")),
            ])
        )
    }

    // MARK: Own answers

    /// Sends an answer of Tapedeck's own to a request whose body has been read.
    func answer(_ answer: OwnAnswer, for client: ClientAbilities) {
        guard let context = self.context else { return }
        var buffer = context.channel.allocator.buffer(capacity: 1024)
        answer.write(to: &buffer, client: client, closes: !client.keepsAlive)
        context.write(self.wrapOutboundOut(buffer), promise: nil)
        self.finishAnswer(client.keepsAlive ? .keepAlive : .close)
    }

    /// Refuses a request that cannot be understood; nothing behind it can be either, so the connection ends.
    func refuse(_ problem: MalformedMessage) {
        guard let context = self.context else { return }
        self.deck.log.notice("refused a request", metadata: ["reason": "\(problem.reason)"])
        var buffer = context.channel.allocator.buffer(capacity: 512)
        OwnAnswer.refusal(problem).write(to: &buffer, client: ClientAbilities(keepsAlive: false), closes: true)
        context.write(self.wrapOutboundOut(buffer), promise: nil)
        self.finishAnswer(.close)
    }

    // MARK: Ends

    /// The answer is out: the next request, or the end of the connection.
    func finishAnswer(_ ending: PlayableResponse.Ending) {
        self.exchange = nil
        self.request = nil
        self.bodySink = .discard
        switch ending {
        case .keepAlive where self.takesMoreRequests:
            self.phase = .head
        case .keepAlive, .close:
            self.closeGently()
        case .cut:
            self.phase = .closing
            self.whenWritten { channel in
                // A close_notify would tell the client that all of the body has come.
                channel.triggerUserOutboundEvent(AbandonTLS(), promise: nil)
                channel.close(promise: nil)
            }
        }
    }

    /// Closes the sending side, then waits a moment for the client to close its own.
    private func closeGently() {
        self.phase = .closing
        self.input.clear()
        let clientHasFinished = self.inputClosed
        self.whenWritten { channel in
            guard !clientHasFinished else {
                channel.close(promise: nil)
                return
            }
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        }
    }

    /// Calls `body` once the client's socket has taken all that was written: a close before would throw it away.
    func whenWritten(_ body: @escaping @Sendable (any Channel) -> Void) {
        guard let context = self.context else { return }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in body(channel) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
    }

    /// Ends the connection with a TCP reset: closing with a linger time of zero sends RST instead of FIN.
    private func reset() {
        guard let context = self.context else { return }
        self.phase = .closing
        context.flush()
        let channel = context.channel
        if let options = channel as? any SocketOptionProvider {
            // Done at once, since this is the channel's event loop.
            _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.triggerUserOutboundEvent(AbandonTLS(), promise: nil)
        self.closeNow()
    }

    /// The line of a request of which only the key is left.
    private var lineOfKey: RequestLine {
        let text = ByteText.string(from: self.key.bytes)
        let method = text.prefix { $0 != " " }
        let url = AbsoluteURL(String(text.dropFirst(method.count + 1)))
        return RequestLine(
            method: String(method),
            url: url ?? AbsoluteURL(origin: Origin(scheme: .http, host: "-"), target: "/")
        )
    }
}
