package import Logging
package import TapedeckCassettes
package import TapedeckCore
package import TapedeckProtobuf
import TapedeckRedaction

extension Session {
    /// Begins to record into a cassette with its own rules and those of the project. Secrets that the session's cassettes
    /// name keep their names. Reads and writes files.
    ///
    /// - Parameters:
    ///   - failuresReplaceAnswers: true if failures are recorded in the place of answers on tape.
    ///   - variant: saves the recording as this variant of the response sets, in the mode `record`.
    ///   - descriptors: those of the project, for calls that the cassette has none for.
    ///   - bodyMemory: in bytes; see ``ProxyConfiguration/recordedBodyMemory``.
    /// - Throws: as the other one, and ``CassetteError`` when the cassette, or another one of the session, cannot be used.
    package func startRecording(
        into cassette: CassetteLocation,
        mode: Mode,
        failuresReplaceAnswers: Bool,
        variant: ScenarioName? = nil,
        redaction: RedactionOptions,
        descriptors: DescriptorSet?,
        library: CassetteLibrary,
        bodyMemory: Int,
        log: Logger
    ) throws {
        let (redactor, known, settled) = try self.redactor(for: cassette, redaction, library)
        for variable in redactor.rules.missing {
            log.warning(
                "a redaction rule finds nothing: the environment variable is not set, or too short",
                metadata: ["variable": "\(variable)"]
            )
        }
        try self.startRecording(
            into: cassette,
            mode: mode,
            failuresReplaceAnswers: failuresReplaceAnswers,
            variant: variant,
            answersAnyBody: library.store.answersAnyBody,
            redactor: redactor,
            knowing: known,
            settledDescriptors: settled,
            projectDescriptors: descriptors,
            bodyMemory: bodyMemory,
            log: log
        )
    }

    /// Returns the redactor for a recording of the session's traffic, with the secrets that it knows by name, and those of
    /// its descriptors that no recording has made.
    fileprivate func redactor(
        for cassette: CassetteLocation,
        _ redaction: RedactionOptions,
        _ library: CassetteLibrary
    ) throws -> (Redactor, known: [SecretDescription], settled: DescriptorSet?) {
        // In its present form on disk, because that is replaced.
        let recorded = FileContents.exists(cassette.path) ? try library.store.load(cassette) : nil
        let others = try self.cassettes.filter { other in
            other.path != cassette.path && (other.isInMemory || FileContents.exists(other.path))
        }.map { try library.cassette($0) }
        let known = (recorded?.secrets ?? []) + others.flatMap(\.secrets)
        // The file keeps its `secrets:`; the redactor searches only for values that it may know.
        let usable = recorded.map(library.prepared)
        let secrets = (usable?.secrets ?? []) + others.flatMap(\.secrets)
        do throws(RedactionError) {
            let settled = try? usable?.descriptors.filter { $0.path != cassette.descriptorPath }.merged()
            return (try redaction.redactor(for: usable, knowing: secrets), known, settled)
        } catch {
            throw RecordingError(description: "\(error)")
        }
    }
}

extension SessionDirectory {
    /// Brings exchanges of a session's journal into a cassette, without the secrets in them, and has all who play it play
    /// them. Reads and writes files.
    ///
    /// - Parameter variant: saves them as this variant of the sets that answer them; `nil` adds them to the defaults.
    /// - Throws: as `CassetteStore.save`.
    package func save(
        _ exchanges: [RecordedExchange],
        of session: Session,
        to cassette: CassetteLocation,
        as variant: ScenarioName? = nil
    ) throws -> CassetteStore.Saved {
        let (redactor, known, _) = try session.redactor(for: cassette, self.configuration.redaction, self.library)
        let saved = try self.library.store.save(
            exchanges,
            to: cassette,
            redactor: redactor,
            known: known,
            variant: variant
        )
        self.cassettesChanged(self.library.reload([cassette]))
        return saved
    }
}
