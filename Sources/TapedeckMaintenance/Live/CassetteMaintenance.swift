package import TapedeckCassettes
import TapedeckCore

/// Sends the recorded requests of a cassette to the live API again, compares the answers, and writes them if requested.
package struct CassetteMaintenance: Sendable {
    private let options: MaintenanceOptions
    private let asking: any LiveAsking
    private var location: CassetteLocation { self.options.cassette }

    package init(_ options: MaintenanceOptions, asking: any LiveAsking) {
        self.options = options
        self.asking = asking
    }

    /// Reports the differences of the live answers. Writes nothing.
    ///
    /// - Throws: ``DeckError`` if the cassette cannot be used, or nothing in it can be requested.
    package func drift() async throws(DeckError) -> MaintenanceReport {
        do {
            let cassette = try self.load()
            return try await self.run(
                cassette,
                in: FilePath.join(self.options.temporaryFolder, "asked.yaml"),
                write: nil
            )
        } catch {
            throw DeckError(error)
        }
    }

    /// Requests everything again and replaces takes by the answers. A set stays unchanged if one of its requests gets
    /// no answer, or an error where the tape has a success.
    ///
    /// - Parameters:
    ///   - force: accepts such answers too.
    ///   - inCI: records although `CI` is set.
    /// - Throws: ``DeckError`` as ``drift()``, if the cassette cannot be written, and in continuous integration.
    package func refresh(force: Bool, inCI: Bool) async throws(DeckError) -> MaintenanceReport {
        try self.checkCI(inCI)
        do {
            guard !RecordingJournal.isInUse(folder: self.location.journalFolder) else {
                throw DeckError(
                    "a recording or a refresh of \(self.location.path) is running; stop it, or wait for its end"
                )
            }
            if FileContents.exists(self.location.path) { _ = try CassetteStore.onDisk.recover(self.location) }
            let cassette = try self.load()
            guard FileContents.isWritable(self.location.path) else {
                throw DeckError("\(self.location.path) cannot be written; `tapedeck drift` shows what has changed")
            }
            let lock = try CassetteStore.onDisk.lock(self.location)
            defer { CassetteStore.onDisk.unlock(lock, of: self.location) }
            let writing = Writing(takesFailures: force, lock: lock)
            return try await self.run(cassette, in: self.location.refreshedPath, write: writing)
        } catch {
            throw DeckError(error)
        }
    }

    private func checkCI(_ inCI: Bool) throws(DeckError) {
        let value = self.options.environment["CI"]?.lowercased() ?? ""
        guard !inCI, !value.isEmpty, value != "false", value != "0" else { return }
        throw DeckError(
            "CI is set, and tests that pass there must not depend on what was recorded just now: refresh "
                + "\(self.location.name) where its diff is reviewed, have `tapedeck drift` look here, or give --in-ci",
            kind: .badOption
        )
    }

    /// A cassette and the text that it was read from.
    private typealias Loaded = (cassette: Cassette, source: [UInt8])

    private func load() throws -> Loaded {
        // Says what to do about one that is not there or has errors.
        _ = try CassetteStore.onDisk.load(self.location)
        let result = try CassetteStore.onDisk.check(self.location)
        return (result.cassette, result.source)
    }

    // MARK: Asking

    /// Writes answers into the cassette.
    private struct Writing {
        /// True if failures are written too.
        var takesFailures: Bool
        /// Keeps recordings of the cassette away.
        var lock: RecordingJournal
    }

    /// - Parameters:
    ///   - path: the cassette that the answers are recorded into, in a folder that is made for it.
    ///   - writing: `nil` writes nothing.
    private func run(_ loaded: Loaded, in path: String, write writing: Writing?) async throws -> MaintenanceReport {
        let plan = try MaintenancePlan(loaded.cassette, self.options)
        var report = MaintenanceReport(path: self.location.path)
        report.requests = plan.requests.count
        report.sets = Set(plan.requests.map(\.set)).count
        report.skipped = plan.skipped.map { ($0.set, $0.why) }
        guard !plan.requests.isEmpty else { return report }
        var rules = loaded.cassette
        rules.secrets = LiveSecrets(loaded.cassette, environment: self.options.environment)
            .descriptions(rules.secrets, used: plan.secrets)
        return try await self.asking.ask(plan.requests, for: rules, in: path) { [report] answers, journal in
            var report = report
            var renewed: [RenewedTake] = []
            var renaming = SecretRenaming(loaded.cassette, source: loaded.source)
            for answers in Self.bySet(answers) {
                guard let number = answers.first?.request.set else { continue }
                let set = loaded.cassette.responseSets[number]
                if let why = AnswerJudgement.failure(of: answers, for: set) {
                    report.failures.append(MaintenanceReport.Failure(set: set.name, why: why))
                    guard writing?.takesFailures == true, answers.allSatisfy({ $0.exchange != nil }) else { continue }
                }
                for answer in answers {
                    guard let asked = answer.exchange,
                        let old = AnswerJudgement.take(answer.request.take, of: set)
                    else { continue }
                    let exchange = renaming.renamed(asked, as: old)
                    let change = AnswerJudgement.change(
                        exchange.answer(journal: journal),
                        to: set,
                        take: answer.request.take,
                        ignoring: loaded.cassette.matching
                    )
                    if let change { report.changes.append(change) }
                    renewed.append(RenewedTake(set: number, take: answer.request.take, exchange: exchange))
                }
            }
            if let writing {
                report.saved = try CassetteStore.onDisk.renew(
                    renewed,
                    names: renaming.names,
                    journal: journal,
                    in: self.location,
                    reading: loaded.source,
                    holding: writing.lock
                )
            }
            return report
        }
    }

    private static func bySet(_ answers: [LiveAnswer]) -> [[LiveAnswer]] {
        // Requests of a set come one after the other.
        var groups: [[LiveAnswer]] = []
        for answer in answers {
            if groups.last?.first?.request.set == answer.request.set {
                groups[groups.count - 1].append(answer)
            } else {
                groups.append([answer])
            }
        }
        return groups
    }
}
