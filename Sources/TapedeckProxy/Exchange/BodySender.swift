import NIOCore
import NIOPosix
import TapedeckCassettes
import TapedeckCore

/// Sends a body in parts, each at its time and after the previous one was written to the socket: memory holds only one
/// part of a file. Files are read off the event loop.
final class BodySender: AnswerUnderWay {
    private let response: PlayableResponse
    private var schedule: BodySchedule
    private let threadPool: NIOThreadPool
    private let eventLoop: any EventLoop
    private let stream: any ClientStream
    /// Holds back the messages of a call that is answered while its request comes; `nil` for any other answer.
    private let gate: MessageGate?
    /// The number of bytes whose parts have been taken from the schedule.
    private var scheduled = 0
    /// The number of bytes at the start of the body that are out already, with the head; `nil` if nothing is.
    private let early: Int?
    /// Called once, unless the sender is cancelled.
    private let onEnd: (Ending) -> Void
    /// The unsent rest of a body in memory.
    private var body: ByteBuffer
    private var reader: FileBodyReader?
    private var start = NIODeadline.now()
    private var sent = 0
    /// The number of bytes on their way to the client, or there.
    private var written = 0
    private var timer: Scheduled<Void>?
    /// The part that waits for its time.
    private var waiting: ByteBuffer?
    /// The part for which a read returned too little.
    private var shortfall: BodySchedule.Part?
    private var isHurried = false
    private var isCancelled = false

    /// The end of sending a body.
    enum Ending {
        case complete
        /// The file cannot be opened. Nothing has been sent yet, not even the head.
        case notBegun(any Error)
        case brokenOff(any Error)
    }

    init(
        _ response: PlayableResponse,
        schedule: BodySchedule,
        threadPool: NIOThreadPool,
        eventLoop: any EventLoop,
        stream: any ClientStream,
        gate: MessageGate? = nil,
        sent early: Int? = nil,
        onEnd: @escaping (Ending) -> Void
    ) {
        self.response = response
        self.schedule = schedule
        self.threadPool = threadPool
        self.eventLoop = eventLoop
        self.stream = stream
        self.gate = gate
        self.early = early
        self.onEnd = onEnd
        self.body = response.body
    }

    /// Begins to write the head, the body and what its framing puts behind it. A file is opened before the head goes
    /// out, so that a client gets an error in the place of a broken response.
    func begin() {
        guard let file = self.response.file else {
            self.sendHead()
            return
        }
        self.background { try FileBodyReader(file) }.assumeIsolated().whenComplete { result in
            guard !self.isCancelled else { return }
            switch result {
            case .success(let reader):
                self.reader = reader
                self.sendHead()
            case .failure(let error):
                self.onEnd(.notBegun(error))
            }
        }
    }

    private func sendHead() {
        self.start = .now()
        if self.early == nil { self.stream.sendHead(of: self.response) }
        self.sendNext()
    }

    /// The part of the answer to a call that is out, its head at least.
    var begun: EarlyStart {
        var start = EarlyStart()
        let size = (self.early ?? 0) + self.written
        let body = self.response.body
        start.bytes = body.getSlice(at: body.readerIndex, length: size) ?? ByteBuffer()
        start.messages = self.response.messageEnds.prefix { $0 <= size }.count
        return start
    }

    /// The body is no longer needed.
    func cancel() {
        self.isCancelled = true
        self.gate?.cancel()
        self.timer?.cancel()
        self.timer = nil
    }

    /// Sends the rest without waiting.
    func hurry() {
        self.isHurried = true
        self.schedule.hurry()
        self.gate?.open()
        guard let timer = self.timer, let waiting = self.waiting else { return }
        timer.cancel()
        self.timer = nil
        self.waiting = nil
        self.write(waiting)
    }

    // MARK: Parts

    private func sendNext() {
        guard let part = self.schedule.next() else {
            self.checkEnd()
            return
        }
        guard let gate else {
            self.send(part)
            return
        }
        let message = self.response.messageEnds.firstIndex { $0 > self.scheduled }
        self.scheduled += part.size
        if let early, self.scheduled <= early {
            self.body.moveReaderIndex(forwardBy: part.size)
            self.sendNext()
            return
        }
        // Without messages, or a place for them, the body waits for the whole request.
        let place = message.flatMap { self.response.order?.messages[$0] }
        gate.wait(for: place) { self.send(part) }
    }

    private func send(_ part: BodySchedule.Part) {
        guard let reader = self.reader else {
            self.wait(until: part.time, for: self.body.readSlice(length: part.size) ?? ByteBuffer())
            return
        }
        self.when(self.background { try reader.read(upTo: part.size) }) { bytes in
            guard !bytes.isEmpty else {
                self.endWithAnotherSize(self.sent)
                return
            }
            if bytes.count < part.size {
                self.shortfall = BodySchedule.Part(size: part.size - bytes.count, time: part.time)
            }
            self.wait(until: part.time, for: ByteBuffer(bytes: bytes))
        }
    }

    private func wait(until time: Int64, for bytes: ByteBuffer) {
        if time == 0, self.reader != nil {
            self.write(bytes)
            return
        }
        // Also when it is due already: a body in memory must not call itself once for each of its parts.
        self.waiting = bytes
        let due = self.isHurried ? .now() : self.start + .nanoseconds(time)
        self.timer = self.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.timer = nil
            guard let bytes = self.waiting else { return }
            self.waiting = nil
            self.write(bytes)
        }
    }

    private func write(_ bytes: ByteBuffer) {
        guard !self.isCancelled else { return }
        let written = self.eventLoop.makePromise(of: Void.self)
        self.written += bytes.readableBytes
        self.stream.sendBody(bytes, of: self.response, written: written)
        self.when(written.futureResult) {
            self.sent += bytes.readableBytes
            if let shortfall = self.shortfall {
                self.shortfall = nil
                self.send(shortfall)
            } else {
                self.sendNext()
            }
        }
    }

    // MARK: End

    private func checkEnd() {
        guard let reader = self.reader, let file = self.response.file, self.sent == file.size else {
            self.finish()
            return
        }
        // The length has been promised to the client: a file that has grown must not pass for complete either.
        self.when(self.background { try reader.read(upTo: 1) }) { more in
            if more.isEmpty {
                self.finish()
            } else {
                self.endWithAnotherSize(self.sent + more.count)
            }
        }
    }

    private func endWithAnotherSize(_ found: Int) {
        guard let file = self.response.file?.file else { return }
        self.onEnd(.brokenOff(BodyFileReader.Problem.size(found, of: file)))
    }

    private func finish() {
        guard let gate else {
            self.sendEnd()
            return
        }
        gate.wait(for: self.response.order?.end) { self.sendEnd() }
    }

    private func sendEnd() {
        self.stream.sendEnd(of: self.response)
        self.onEnd(.complete)
    }

    private func background<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) -> EventLoopFuture<Value> {
        self.threadPool.runIfActive(eventLoop: self.eventLoop, work)
    }

    private func when<Value: Sendable>(_ future: EventLoopFuture<Value>, _ next: @escaping (Value) -> Void) {
        future.assumeIsolated().whenComplete { result in
            guard !self.isCancelled else { return }
            switch result {
            case .success(let value): next(value)
            case .failure(let error): self.onEnd(.brokenOff(error))
            }
        }
    }
}

@available(*, unavailable)
extension BodySender: Sendable {}
