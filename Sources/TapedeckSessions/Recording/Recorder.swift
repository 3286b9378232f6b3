import Logging
package import NIOCore
import NIOPosix
import Synchronization
package import TapedeckCassettes
package import TapedeckCore
package import TapedeckHTTP1
import TapedeckLocking
package import TapedeckProtobuf
package import TapedeckRedaction

/// Adds finished exchanges to the journal of a recording, without their secrets.
///
/// An exchange is copied into memory that the kernel writes to the file in its own time: no client waits for a disk,
/// and a kill of the process loses nothing. Only bodies beyond ``ProxyConfiguration/recordedBodyMemory`` that are not
/// text go to separate files, on a thread that otherwise only searches exchanges with much text.
package final class Recorder: Sendable {
    package let journal: RecordingJournal
    package let redactor: Redactor
    let descriptors: CallDescriptors
    /// Writes body files, and searches exchanges with much text.
    let fileThread: NIOThreadPool
    /// See ``ProxyConfiguration/recordedBodyMemory``.
    let bodyMemory: Int
    private let session: String
    /// The disk space of the recording.
    let disk: RecordingDisk
    /// The number of secrets that were known when each exchange was searched, by its number.
    private let searched = Locked<[UInt32]>([])
    private let lookingBack = Locked(LookingBack())
    private let unsearchedLines = Locked<(count: Int, lines: [String])>((0, []))
    private let sequence = Atomic<Int>(0)
    private let recordedCount = Atomic<Int>(0)
    private let problem = Locked<RecordingStopped?>(nil)
    /// True if there is a problem; outside of the lock, because each exchange reads it.
    private let hasStopped = Atomic<Bool>(false)
    /// Exchanges that are complete, but not in the journal yet because a body file is being finished.
    private let finishing = Locked(Finishing())

    private struct Finishing {
        var count = 0
        /// True if no more exchanges are accepted.
        var isClosed = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// The exchanges that are not complete, by number.
        var open: [Int: RequestLine] = [:]
        /// Those of them whose clients are gone.
        var abandoned: Set<Int> = []
    }
    /// The bytes that the responses of each URL have or will have; see ``claim(_:of:)``.
    private let parts = Locked<[AbsoluteURL: [ContentPart]]>([:])
    private let log: Logger
    private let counts: RecordingCounts

    /// - Parameters:
    ///   - settledDescriptors: those of the redactor that no recording has made.
    ///   - projectDescriptors: those of the project, for calls that the redactor has none for.
    ///   - bodyMemory: in bytes; see ``ProxyConfiguration/recordedBodyMemory``.
    ///   - session: the id of the session that records.
    init(
        journal: RecordingJournal,
        redactor: Redactor,
        settledDescriptors: DescriptorSet? = nil,
        projectDescriptors: DescriptorSet? = nil,
        bodyMemory: Int,
        session: String,
        disk: RecordingDisk,
        log: Logger,
        counts: RecordingCounts = RecordingCounts()
    ) {
        self.session = session
        self.disk = disk
        self.counts = counts
        self.journal = journal
        self.redactor = redactor
        self.descriptors = CallDescriptors(
            cassette: redactor.descriptors,
            settled: settledDescriptors,
            project: projectDescriptors
        )
        self.bodyMemory = bodyMemory
        self.log = log
        self.fileThread = NIOThreadPool(numberOfThreads: 1)
        self.fileThread.start()
    }

    /// The number of exchanges in the journal.
    package var recorded: Int { self.recordedCount.load(ordering: .relaxed) }

    /// The reason why it records no more, if any.
    package var failure: String? { self.problem.withLock { $0?.description } }

    /// The reason for an exchange that was in progress when the recording ended.
    package static let stoppedEarly = "the recording was stopped before the response was complete"

    /// The recording of one exchange; `nil` once recording has failed or ended.
    package func begin(_ head: RequestHead, on eventLoop: any EventLoop) -> ExchangeRecording? {
        guard self.failure == nil else { return nil }
        let number = self.finishing.withLock { finishing -> Int? in
            guard !finishing.isClosed else { return nil }
            let number = self.sequence.wrappingAdd(1, ordering: .relaxed).newValue
            finishing.open[number] = head.line
            return number
        }
        guard let number else { return nil }
        return ExchangeRecording(recorder: self, number: number, head: head, eventLoop: eventLoop)
    }

    /// Text up to this size is searched at once, on the event loop. 64 KiB.
    private static let quickLimit = 64 << 10

    /// Redacts a finished exchange and appends it. One that cannot be redacted is not written, and its body files are
    /// removed.
    ///
    /// - Parameter completion: called with the reason why it is not in the journal, or `nil`; at once unless there is
    ///   much to search.
    func appendRedacted(
        _ exchange: RecordedExchange,
        on eventLoop: any EventLoop,
        completion: @escaping (String?) -> Void
    ) {
        if exchange.textSize <= Self.quickLimit {
            let result = Result { () throws(RedactionFailure) in try self.redacted(exchange) }
            if case .success(let redacted) = result {
                completion(self.append(redacted))
                return
            }
        }
        // A failed file fails again there, where it can be deleted.
        self.fileThread.runIfActive(eventLoop: eventLoop) {
            do throws(RedactionFailure) {
                return self.append(try self.redacted(exchange))
            } catch {
                self.removeFiles(of: exchange)
                return "\(error)"
            }
        }
        .assumeIsolated()
        .whenComplete { result in
            switch result {
            case .success(let problem): completion(problem)
            case .failure(let error): completion(self.stop(error).description)
            }
        }
    }

    private func redacted(_ exchange: RecordedExchange) throws(RedactionFailure) -> RecordedExchange {
        let known = self.redactor.vault.count
        let redacted = try exchange.redacted(by: self.redactor(for: exchange))
        self.note(known, for: exchange.number)
        return redacted
    }

    private func redactor(for exchange: RecordedExchange) -> Redactor {
        exchange.isCall ? self.redactor.with(self.descriptors.known) : self.redactor
    }

    private func note(_ known: Int, for number: Int) {
        self.searched.withLock { searched in
            while searched.count <= number { searched.append(0) }
            searched[number] = UInt32(clamping: known)
        }
    }

    /// Searches an exchange of the journal again if secrets became known since it was appended.
    package func searchAgain(_ exchange: RecordedExchange) -> RecordedExchange {
        let known = self.searched.withLock { $0.indices.contains(exchange.number) ? Int($0[exchange.number]) : 0 }
        guard known < self.redactor.vault.count else { return exchange }
        return self.noting(exchange.searchedAgain(by: self.redactor(for: exchange)))
    }

    /// Searches an exchange of the journal for the last time.
    ///
    /// - Parameter descriptors: those with which the messages of a call are written. They may have come after the call, and
    ///   show which of its fields are secrets.
    package func searchAgain(_ exchange: RecordedExchange, _ descriptors: DescriptorSet?) -> RecordedExchange {
        guard exchange.isCall, let descriptors else {
            var searched = self.searchAgain(exchange)
            searched.secretsInFiles = self.redactor.secretsInFiles(of: searched)
            return searched
        }
        let redactor = self.redactor.with(descriptors)
        // One that cannot be searched now was searched when it was recorded, or let through.
        let redacted = ((try? exchange.redactedAgain(by: redactor)) ?? exchange).searchedAgain(by: redactor)
        return redacted == exchange ? exchange : self.noting(redacted)
    }

    private func noting(_ redacted: RecordedExchange) -> RecordedExchange {
        // A run of base64 with a secret in it is one of its own. Without its shape it plays as a token.
        try? self.journal.noteSecrets(in: redacted) { self.redactor.vault.traits($0) }
        return redacted
    }

    // MARK: Descriptors

    /// Notes a call, which may need the descriptors of the project.
    func noteCall(_ path: String) {
        guard self.descriptors.noteCall(path), self.startFinishing() else { return }
        self.fileThread.submit { _ in
            self.noteDescriptors()
            self.endFinishing()
        }
    }

    /// Returns a promise for the descriptors of an origin, to be completed with `nil` if it sends none; `nil` if they are
    /// not needed for this call, or were requested before.
    func requestDescriptors(
        of origin: Origin,
        for path: String,
        on eventLoop: any EventLoop
    ) -> EventLoopPromise<GRPCReflectionDialogue?>? {
        // ``close()`` waits for the answer.
        guard self.descriptors.areNeeded(of: origin, for: path), self.startFinishing() else { return nil }
        let promise = eventLoop.makePromise(of: GRPCReflectionDialogue?.self)
        let answer = promise.futureResult.flatMap { dialogue in
            self.fileThread.runIfActive(eventLoop: eventLoop) { self.add(dialogue, of: origin) }
        }
        self.descriptors.noteRequest(to: origin, answer: answer)
        answer.whenComplete { _ in
            self.descriptors.noteAnswer(of: origin)
            self.endFinishing()
        }
        return promise
    }

    private func add(_ dialogue: GRPCReflectionDialogue?, of origin: Origin) {
        guard let dialogue else { return }
        if let problem = dialogue.problems.first {
            self.log.warning(
                "a server does not describe all its messages; the others are recorded by field numbers",
                metadata: [
                    "server": "\(origin)", "reason": "\(problem.prefix(200))", "problems": "\(dialogue.problems.count)",
                ]
            )
        }
        guard dialogue.hasFiles else { return }
        var reason = "they contradict other descriptors, or all of them are larger than 16 MiB"
        do throws(DescriptorError) {
            if self.descriptors.add(try dialogue.descriptors()) {
                self.noteDescriptors()
                return
            }
        } catch {
            reason = "\(error)"
        }
        self.log.warning(
            "the descriptors of a server cannot be used; its messages are recorded by field numbers",
            metadata: ["server": "\(origin)", "reason": "\(reason)"]
        )
    }

    /// Without room on the disk they only reach the cassette if the recording is not interrupted.
    private func noteDescriptors() {
        if let added = self.descriptors.added { try? self.journal.note(descriptors: added) }
    }

    // MARK: Looking back

    private struct LookingBack {
        /// The number of known secrets at the last search of the journal.
        var known = 0
        var isUnderWay = false
    }

    /// The part of the journal that is searched for a secret that became known later. In bytes, 16 MiB; the rest is
    /// searched when the cassette is written.
    private static let lookBackLimit = 16 << 20

    /// Searches the journal for secrets that became known later: a token may occur in a path before an answer reveals
    /// that it is one. Runs on the recorder's own thread as soon as that is free.
    private func lookBack() {
        let known = self.redactor.vault.count
        let isDue = self.lookingBack.withLock { state in
            guard known > state.known, !state.isUnderWay else { return false }
            state.isUnderWay = true
            return true
        }
        guard isDue else { return }
        self.fileThread.submit { state in
            guard case .active = state else { return }
            self.lookThrough()
        }
    }

    private func lookThrough() {
        while true {
            let known = self.redactor.vault.count
            do {
                try self.journal.rewrite(last: Self.lookBackLimit, note: self.disk.add) { exchange in
                    let redacted = self.searchAgain(exchange)
                    self.note(known, for: exchange.number)
                    return redacted == exchange ? nil : redacted
                }
            } catch {
                // The rest is searched when the cassette is written.
                self.log.warning("the journal could not be searched again", metadata: ["reason": "\(error)"])
            }
            let isDone = self.lookingBack.withLock { state in
                state.known = known
                state.isUnderWay = known < self.redactor.vault.count
                return !state.isUnderWay
            }
            if isDone { return }
        }
    }

    // MARK: Unsearched bodies

    /// Maximum number of unsearched requests listed by URL.
    private static let toldUnsearched = 5

    /// The requests whose bodies were recorded although they are too large to be searched for secrets: how many, and the
    /// first five.
    package var unsearched: (count: Int, lines: [String]) { self.unsearchedLines.withLock { $0 } }

    /// Notes an exchange whose bodies are larger than is searched.
    private func noteUnsearched(_ exchange: RecordedExchange) {
        let limit = self.redactor.bodyLimit
        let isLarge = [
            (exchange.requestBody, exchange.requestHeaders), (exchange.response.body, exchange.response.headers),
        ].contains { body, headers in
            switch body {
            case .bytes(let bytes):
                bytes.count > limit && self.redactor.searches(headers: headers, start: bytes.prefix(16 << 10))
            case .file(_, let size, _): size > limit && self.redactor.searches(headers: headers, start: [])
            }
        }
        guard isLarge else { return }
        let line = "\(exchange.method) \(self.redactor.text(exchange.url))"
        self.unsearchedLines.withLock { told in
            told.count += 1
            if told.lines.count < Self.toldUnsearched { told.lines.append(line) }
        }
    }

    private func removeFiles(of exchange: RecordedExchange) {
        for case .file(let name, let size, _) in [exchange.requestBody, exchange.response.body] {
            self.disk.give(size)
            // If it fails, the file stays in the journal's folder, and is removed with it.
            try? FileContents.remove(self.journal.bodyPath(name))
        }
    }

    /// Looks for room on the disk now and then.
    private func checkRoom() {
        guard self.disk.isCheckDue else { return }
        self.fileThread.submit { state in
            guard case .active = state else { return }
            do throws(DiskProblem) {
                try self.disk.checkRoom()
            } catch {
                _ = self.stop(error)
            }
        }
    }

    /// Appends a finished exchange without secrets in it; returns why it could not, if so.
    func append(_ exchange: RecordedExchange) -> String? {
        do {
            if self.hasStopped.load(ordering: .relaxed), let problem = self.problem.withLock({ $0 }) { throw problem }
            try self.journal.noteSecrets(in: exchange) { self.redactor.vault.traits($0) }
            try self.journal.append(exchange) { try self.disk.take($0) }
            self.recordedCount.wrappingAdd(1, ordering: .relaxed)
            if self.redactor.allowsUnscanned { self.noteUnsearched(exchange) }
            self.lookBack()
            self.checkRoom()
            return nil
        } catch {
            // Its files are no longer needed.
            self.fileThread.submit { _ in self.removeFiles(of: exchange) }
            return self.stop(error).description
        }
    }

    /// True once no more exchanges are accepted.
    var isClosed: Bool { self.finishing.withLock { $0.isClosed } }

    /// Ends the recording; the journal stays.
    func stop(_ error: any Error) -> RecordingStopped {
        // Nothing is written after its end, so nothing can fail. Until then exchanges may be on their way into the journal.
        if self.finishing.withLock({ $0.isClosed && $0.count == 0 }) {
            return RecordingStopped(description: Self.stoppedEarly)
        }
        let text = "the recording of session \(self.session) is stopped: \(DiskProblem(error))"
        let stopped = error as? RecordingStopped ?? RecordingStopped(description: text)
        let (first, isFirst) = self.problem.withLock { problem in
            if let problem { return (problem, false) }
            problem = stopped
            return (stopped, true)
        }
        if isFirst {
            self.counts.noteFailure()
            self.hasStopped.store(true, ordering: .relaxed)
            self.log.error("\(first)")
        }
        return first
    }

    /// An exchange is complete and on its way into the journal, which ``close()`` waits for; `false` when the journal
    /// takes no more, as it may be saved already.
    ///
    /// - Parameter number: that of the exchange; `nil` for what belongs to none.
    func startFinishing(_ number: Int? = nil) -> Bool {
        self.finishing.withLock { finishing in
            guard !finishing.isClosed else { return false }
            if let number { finishing.open[number] = nil }
            finishing.count += 1
            return true
        }
    }

    /// An exchange ends without being recorded.
    func abandon(_ number: Int) {
        self.finishing.withLock { finishing in
            // Later it was in progress when the recording ended.
            if !finishing.isClosed { finishing.open[number] = nil }
        }
    }

    /// The rest of a response is recorded without its client.
    func abandonedByClient(_ number: Int) {
        self.finishing.withLock { finishing in
            if finishing.open[number] != nil { finishing.abandoned.insert(number) }
        }
    }

    /// The URLs whose parts are noted, and the parts of each. 10,000 and 100: a long recording needs no more memory for them,
    /// and a part that is not noted is only recorded twice.
    private static let partLimits = (urls: 10_000, each: 100)

    /// Notes that a response of a URL has these bytes. Returns `false` if another one has them.
    func claim(_ part: ContentPart, of url: AbsoluteURL) -> Bool {
        self.parts.withLock { parts in
            var known = parts[url] ?? []
            if known.contains(where: { $0.contains(part) }) { return false }
            known.removeAll { part.contains($0) }
            guard known.count < Self.partLimits.each, parts[url] != nil || parts.count < Self.partLimits.urls else {
                return true
            }
            parts[url] = known + [part]
            return true
        }
    }

    /// The requests of the exchanges that were in progress when the recording ended, in their order.
    ///
    /// - Parameter abandoned: true for those whose clients are gone, false for all others.
    func interrupted(abandoned: Bool) -> [RequestLine] {
        self.finishing.withLock { finishing in
            guard finishing.isClosed else { return [] }
            return finishing.open.filter { finishing.abandoned.contains($0.key) == abandoned }
                .sorted { $0.key < $1.key }.map(\.value)
        }
    }

    func endFinishing() {
        let waiters = self.finishing.withLock { finishing -> [CheckedContinuation<Void, Never>] in
            finishing.count -= 1
            guard finishing.count == 0 else { return [] }
            defer { finishing.waiters = [] }
            return finishing.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for exchanges in progress: a quarter of a second for one whose last bytes, or the end of whose client's
    /// connection, may have come already, and 5 s for the rest of a response whose client is gone.
    package func settle() async {
        for step in 0..<500 {
            let isDone = self.finishing.withLock { finishing in
                finishing.open.isEmpty || step >= 25 && finishing.abandoned.isDisjoint(with: finishing.open.keys)
            }
            if isDone { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Accepts no more exchanges, and waits until every complete one is in the journal. Nothing is written to the
    /// journal or its body files afterwards.
    package func close() async throws {
        await withCheckedContinuation { continuation in
            let isDone = self.finishing.withLock { finishing in
                finishing.isClosed = true
                if finishing.count > 0 { finishing.waiters.append(continuation) }
                return finishing.count == 0
            }
            if isDone { continuation.resume() }
        }
        try await self.fileThread.shutdownGracefully()
    }
}

extension Redactor {
    fileprivate func with(_ descriptors: DescriptorSet?) -> Redactor {
        var redactor = self
        redactor.descriptors = descriptors
        return redactor
    }
}

extension RecordedExchange {
    fileprivate var isCall: Bool { MessageFraming(self.requestHeaders) != nil }

    /// About how much there is to search: coded bodies are larger than they look.
    fileprivate var textSize: Int {
        Self.size(self.requestBody, self.requestHeaders) + Self.size(self.response.body, self.response.headers)
    }

    private static func size(_ body: RecordedBody, _ headers: [HeaderField]) -> Int {
        guard case .bytes(let bytes) = body else { return 0 }
        return headers.contains(named: "content-encoding") ? bytes.count * 8 : bytes.count
    }
}

/// The reason why a recording accepts no more exchanges, for a user. Its exchanges are saved when it ends.
struct RecordingStopped: Error, CustomStringConvertible {
    var description: String
}
