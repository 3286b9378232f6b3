package import Logging
package import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking
import TapedeckPlatform
package import TapedeckProtobuf
package import TapedeckRedaction

/// A recording that a session makes.
package struct SessionRecording: Sendable {
    package let recorder: Recorder
    package let cassette: CassetteLocation
    /// The variant that it is saved as; `nil` for a recording of the defaults.
    package let variant: ScenarioName?
    /// The mode and policy to restore afterwards.
    fileprivate let before: (mode: Mode, policy: UnmatchedPolicy?)
}

/// The reason why a session cannot record, or has nothing to stop.
package struct RecordingError: Error, Sendable, CustomStringConvertible {
    package var description: String
}

extension Session {
    /// Records the forwarded exchanges; `nil` if the session does not record.
    package var recorder: Recorder? { self.recording.withLock { $0?.recorder } }

    /// The cassette that is recorded into, and how many exchanges are in the journal of the recording so far.
    package var recordingStatus: (cassette: CassetteLocation, exchanges: Int, failure: String?)? {
        self.recording.withLock { recording in
            recording.map { ($0.cassette, $0.recorder.recorded, $0.recorder.failure) }
        }
    }

    /// The variant that the running recording is saved as; `nil` where none runs, or one of the defaults.
    package var recordingVariant: ScenarioName? { self.recording.withLock { $0?.variant } }

    /// The requests whose bodies are recorded unsearched, being too large: how many, and the first of them.
    package var unsearchedBodies: (count: Int, lines: [String]) { self.recorder?.unsearched ?? (0, []) }

    /// Starts to record into a cassette, in the mode `record` or `append`. Reads and writes files.
    ///
    /// - Parameters:
    ///   - failuresReplaceAnswers: true if recorded failures replace answers on tape.
    ///   - variant: saves the recording as this variant of the response sets, in the mode `record`.
    ///   - answersAnyBody: true if a request body becomes a condition only where bodies of one method and URL differ.
    ///   - redactor: removes secrets from the recording.
    ///   - secrets: those that it knows by name.
    ///   - settledDescriptors: those of the redactor that no recording has made.
    ///   - projectDescriptors: those of the project, for calls that the redactor has none for.
    ///   - bodyMemory: in bytes; see ``ProxyConfiguration/recordedBodyMemory``.
    /// - Throws: ``RecordingError`` if the session records already, `CassetteError` if another recording of the
    ///   cassette runs, `FileError` if it cannot be written, ``DiskProblem`` if there is no disk space for a recording.
    package func startRecording(
        into cassette: CassetteLocation,
        mode: Mode,
        failuresReplaceAnswers: Bool,
        variant: ScenarioName? = nil,
        answersAnyBody: Bool = false,
        redactor: Redactor,
        knowing secrets: [SecretDescription] = [],
        settledDescriptors: DescriptorSet? = nil,
        projectDescriptors: DescriptorSet? = nil,
        bodyMemory: Int,
        log: Logger
    ) throws {
        precondition(mode.records)
        let begin = self.runs.begin(cassette)
        try FileContents.makeFolder(cassette.folder)
        if FileContents.exists(cassette.path), !FileContents.isWritable(cassette.path) {
            throw FileError("write", cassette.path, code: EACCES)
        }
        let isRecording = self.recording.withLock { $0 != nil }
        guard !isRecording else { throw RecordingError(description: "session \(self.id) is recording already") }
        let disk = RecordingDisk(self.meter, folder: cassette.folder)
        try disk.checkRoom()
        let journal = try RecordingJournal.start(
            at: cassette,
            purpose: mode != .record ? .append : failuresReplaceAnswers ? .recordFailures : .record,
            variant: variant?.text,
            answersAnyBody: answersAnyBody,
            begin: begin
        )
        self.runs.note(begin: journal.begin, of: cassette)
        try journal.note(secrets)
        let recorder = Recorder(
            journal: journal,
            redactor: redactor,
            settledDescriptors: settledDescriptors,
            projectDescriptors: projectDescriptors,
            bodyMemory: bodyMemory,
            session: self.id,
            disk: disk,
            log: log,
            counts: self.recordings
        )
        // Two simultaneous starts cannot both lock the journal of one cassette, but might lock those of two. The mode
        // changes together with the recording, so that a concurrent stop finds the mode to restore.
        let isFirst = self.recording.withLock { recording in
            guard recording == nil else { return false }
            let before = (mode: self.mode, policy: self.policy)
            recording = SessionRecording(recorder: recorder, cassette: cassette, variant: variant, before: before)
            self.change(mode: mode, policy: before.policy?.suits(mode) == true ? before.policy : nil)
            return true
        }
        guard isFirst else {
            RecordingJournal.remove(folder: journal.folder)
            throw RecordingError(description: "session \(self.id) is recording already")
        }
        self.tallies.withLock { $0.noteRecording() }
        self.recordings.noteStart()
        self.include(cassette)
    }

    /// Exchanges of the journal of the running recording without what later ones have shown to be secrets.
    package func searchedAgain(_ exchanges: [RecordedExchange]) -> [RecordedExchange] {
        guard let recorder = self.recorder else { return exchanges }
        return exchanges.map(recorder.searchAgain)
    }

    /// Ends the recording and writes the cassette; `nil` where none runs. Exchanges that are not complete are not in
    /// it. Reads and writes files.
    ///
    /// - Parameters:
    ///   - commandFailed: true if the recorded command failed; then nothing is removed.
    ///   - cleans: true to remove recorded sets that the recording did not request.
    /// - Throws: when the cassette cannot be written. The journal stays then, and the next recording takes it up.
    package func stopRecording(
        store: CassetteStore,
        commandFailed: Bool = false,
        cleans: Bool = false
    ) async throws -> CassetteStore.Saved? {
        guard let stopped = self.takeRecording() else { return nil }
        defer { self.noteEnd(of: stopped) }
        do {
            await stopped.recorder.settle()
            try await stopped.recorder.close()
            let interrupted = stopped.recorder.interrupted(abandoned: false).map(self.shown)
            let abandoned = stopped.recorder.interrupted(abandoned: true).map(self.shown)
            self.tallies.withLock { $0.noteInterrupted(interrupted, abandoned: abandoned) }
            var saved = try store.finish(
                stopped.recorder.journal,
                to: stopped.cassette,
                expecting: stopped.recorder.recorded,
                commandFailed: commandFailed,
                cleans: cleans,
                isComplete: self.tallies.withLock { $0.hasEveryAnswer },
                run: self.runs.run(of: stopped.cassette, session: self.variantName, identity: self.name),
                search: stopped.recorder.searchAgain
            )
            saved.failure = stopped.recorder.failure
            if stopped.variant == nil { self.runs.note(saved, to: stopped.cassette, by: self.name) }
            return saved
        } catch {
            // A recording that stopped early was counted then.
            if stopped.recorder.failure == nil { self.recordings.noteFailure() }
            throw error
        }
    }

    /// The name of the variant for answers that differ from those of another session: the session's own; `nil` for the
    /// default session, for one without a name, and for a name that no variant can have.
    var variantName: ScenarioName? {
        self.name == "default" || self.name == self.id ? nil : try? ScenarioName(self.name.replacing("=", with: "-"))
    }

    /// Ends the recording and deletes its journal. Writes no cassette.
    ///
    /// - Throws: when the recorder cannot be closed.
    package func discardRecording() async throws {
        guard let stopped = self.takeRecording() else { return }
        defer { self.noteEnd(of: stopped) }
        try await stopped.recorder.close()
        RecordingJournal.remove(folder: stopped.recorder.journal.folder)
    }

    /// Restores what the session did before it recorded.
    private func takeRecording() -> SessionRecording? {
        self.recording.withLock { recording in
            guard let stopped = recording else { return nil as SessionRecording? }
            self.change(mode: stopped.before.mode, policy: stopped.before.policy)
            recording = nil
            return stopped
        }
    }

    private func noteEnd(of stopped: SessionRecording) {
        stopped.recorder.disk.giveAll()
        self.recordings.noteEnd()
    }
}
