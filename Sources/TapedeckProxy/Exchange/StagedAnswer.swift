import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckSessions

/// A take that is played with a delay, with another content or at a pace of its own.
///
///     delay ──▶ content ──▶ head, body (BodySender)
///        └────▶ fault
final class StagedAnswer: AnswerUnderWay {
    // They hold each other until the answer ends or is cancelled.
    private let exchange: Exchange
    private let play: Play
    private let staging: Staging
    private var delay: DelayedStart?
    private var isCancelled = false
    private var isHurried: Bool

    init(_ play: Play, _ staging: Staging, exchange: Exchange) {
        self.exchange = exchange
        self.play = play
        self.staging = staging
        self.isHurried = exchange.loop.isStopping
    }

    private var client: ClientAbilities { self.exchange.client }

    func start() {
        let delay = self.isHurried ? 0 : self.staging.delay
        guard delay == 0 || !self.exchange.stream.hasFinishedSending else {
            self.leave()
            return
        }
        self.delay = DelayedStart(after: delay, on: self.exchange.loop.eventLoop) { self.begin() }
    }

    func cancel() {
        self.isCancelled = true
        self.delay?.cancel()
    }

    func hurry() {
        self.isHurried = true
        self.delay?.hurry()
    }

    /// During the delay the connection ends at once, as with ``HangingAnswer``: a client that gave up and one that only
    /// closed its sending side look the same, and the first are common, the others rare.
    func clientFinishedSending() {
        guard self.delay?.isWaiting == true else { return }
        self.leave()
    }

    private func leave() {
        self.cancel()
        self.exchange.abandon()
    }

    // MARK: Content

    private func begin() {
        let tape = self.play.tape
        let take = tape.takes[self.play.take]
        if tape.kind(ofTake: self.play.take).contains(.fault), let fault = take.fault {
            self.exchange.playFault(UpstreamFailure(take, fault), isOnTape: true)
            self.exchange.stream.goOn()
            return
        }
        let player = self.exchange.loop.player(for: tape)
        let session = self.exchange.session
        if let excerpt = self.staging.excerpt {
            self.derive(excerpt, take, player)
        } else if self.staging.changesContent {
            self.change(take, player)
        } else if let response = player.ready(self.play.take, for: self.client, session: session) {
            self.send(response)
        } else {
            self.await(player.prepare(self.play.take, for: self.client, session: session)) { response in
                player.keep(response, take: self.play.take, client: self.client)
            }
        }
    }

    private func change(_ take: Take, _ player: TakePlayer) {
        let session = self.exchange.session
        do {
            let content = try self.content(take, player, session)
            let client = self.client
            guard content.isHeavy else {
                self.send(try PlayableResponse.make(try content.staged(), for: client), isOther: true)
                return
            }
            let deck = self.exchange.deck
            let made = deck.threadPool.runIfActive(eventLoop: self.exchange.loop.eventLoop) {
                try PlayableResponse.make(try content.staged(), for: client)
            }
            self.await(made, isOther: true) { _ in }
        } catch {
            self.fail(error)
        }
    }

    private func content(_ take: Take, _ player: TakePlayer, _ session: Session) throws -> StagedContent {
        StagedContent(
            source: player.staged(self.play.take, isTemplate: self.staging.scene != nil, session: session),
            staging: self.staging,
            templates: self.staging.scene == nil ? nil : try player.templates(self.play.take, session: session),
            now: self.exchange.deck.configuration.now(),
            hasBody: !PlayableResponse.isBodiless(take, for: self.client),
            isHead: self.client.isHead
        )
    }

    /// Sends what HTTP derives from the take for the conditions or the range of the request.
    private func derive(_ excerpt: Excerpt, _ take: Take, _ player: TakePlayer) {
        let session = self.exchange.session
        do {
            let content = try self.content(take, player, session)
            var others: [Int: TakeSource] = [:]
            if case .parts(let parts, _, _) = excerpt {
                for part in parts where others[part.take] == nil {
                    others[part.take] = player.staged(part.take, isTemplate: false, session: session)
                }
            }
            let client = self.client
            let made = self.exchange.deck.threadPool.runIfActive(eventLoop: self.exchange.loop.eventLoop) { [others] in
                try PlayableResponse.make(
                    excerpt,
                    of: try content.staged(),
                    for: client,
                    isRestored: content.isRestored
                ) { number in try others[number]?.loaded().take ?? Take() }
            }
            self.await(made, isOther: true) { _ in }
        } catch {
            self.fail(error)
        }
    }

    private func await(
        _ response: EventLoopFuture<PlayableResponse>,
        isOther: Bool = false,
        then note: @escaping (PlayableResponse) -> Void
    ) {
        response.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response):
                note(response)
                if !self.isCancelled { self.send(response, isOther: isOther) }
            case .failure(let error):
                if !self.isCancelled { self.fail(error) }
            }
        }
    }

    // MARK: Ends

    /// - Parameter isOther: true if it differs from the response on tape.
    private func send(_ response: PlayableResponse, isOther: Bool = false) {
        if isOther || response.isRestored { self.exchange.trace.answer(response) }
        if self.staging.streams != nil, !self.isHurried, let pieces = response.pieces {
            self.send(response, in: pieces)
            return
        }
        self.send(response, timeline: nil)
    }

    /// Sends the body piece by piece, in its own time.
    private func send(_ response: PlayableResponse, in pieces: BodyPieces) {
        guard let file = response.file?.file else {
            self.send(response, ends: response.body.withUnsafeReadableBytes { pieces.ends(of: $0) })
            return
        }
        let ends = self.exchange.deck.threadPool.runIfActive(eventLoop: self.exchange.loop.eventLoop) {
            try PieceTimeline.ends(of: pieces, in: file)
        }
        ends.assumeIsolated().whenComplete { result in
            guard !self.isCancelled else { return }
            switch result {
            case .success(let ends): self.send(response, ends: ends)
            case .failure(let error): self.fail(error)
            }
        }
    }

    private func send(_ response: PlayableResponse, ends: [Int]) {
        let take = self.play.tape.takes[self.play.take]
        self.send(response, timeline: self.staging.streams.map { PieceTimeline(ends, of: take, factor: $0) })
    }

    private func send(_ response: PlayableResponse, timeline: PieceTimeline?) {
        let isPaced = self.staging.bandwidth != nil || self.staging.dribble != nil || timeline != nil
        let schedule =
            isPaced && !self.isHurried
            ? BodySchedule(
                length: response.bodyLength,
                bandwidth: self.staging.bandwidth,
                dribble: self.staging.dribble,
                timeline: timeline
            ) : nil
        self.exchange.send(response, schedule: schedule, datesMoved: self.staging.time.shifts)
        self.exchange.stream.goOn()
    }

    private func fail(_ error: any Error) {
        self.exchange.answer(self.exchange.unreadable(error))
        self.exchange.stream.goOn()
    }
}

@available(*, unavailable)
extension StagedAnswer: Sendable {}
