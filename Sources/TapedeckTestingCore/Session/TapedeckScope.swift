import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckJSON
import TapedeckLocking

/// The life of a test's session, from its creation to its end. Functions that are not `async` block.
package enum TapedeckScope {
    /// Opens a session.
    ///
    /// - Parameters:
    ///   - name: of the session.
    ///   - place: where the test asks for it: its errors are reported there. Its cassettes are relative to the
    ///     folder of the file where the options stand, or of this one.
    ///   - environment: what decides where the options say nothing.
    ///   - outer: the session of the scope around this one.
    /// - Throws: ``TapedeckError``.
    package static func open(
        _ options: TapedeckOptions,
        name: String,
        at place: CodePlace,
        environment: TestEnvironment = .current,
        inside outer: Tapedeck? = Tapedeck.bound
    ) throws -> Tapedeck {
        do {
            let deck = try Decks.deck(options.deck ?? .automatic, environment: environment)
            var options = options
            try options.nameCassettes(after: name)
            let wanted = try self.request(options, name: name, at: place, deck, environment)
            let session = try self.session(wanted, options, deck)
            let tapedeck = Tapedeck(
                deck: deck,
                session: session,
                mode: wanted.mode,
                deckMode: wanted.deckMode,
                options: options,
                place: place,
                isCI: environment.isCI,
                scratch: wanted.scratch
            )
            do {
                for stub in options.stubs { try tapedeck.add(stub) }
                try self.catchSharedSession(for: tapedeck, inside: outer)
            } catch {
                _ = try? tapedeck.session.end()
                throw error
            }
            return tapedeck
        } catch {
            throw TapedeckError(error).at(options.place ?? place)
        }
    }

    /// Opens a scope on a separate thread. If the test is cancelled meanwhile, no session is left behind.
    ///
    /// - Throws: also `CancellationError`.
    package static func open(
        _ options: TapedeckOptions,
        name: String,
        at place: CodePlace,
        environment: TestEnvironment = .current
    ) async throws -> Tapedeck {
        let outer = Tapedeck.bound
        return try await OwnThread.run {
            try self.open(options, name: name, at: place, environment: environment, inside: outer)
        } dropped: { deck in
            _ = try? deck.session.end()
        }
    }

    private static func session(
        _ wanted: Wanted,
        _ options: TapedeckOptions,
        _ deck: RunningDeck
    ) throws(TapedeckError) -> SessionModel {
        do {
            return try deck.control.createSession(wanted.request)
        } catch {
            throw options.explained(error, isRecording: wanted.deckMode.records)
        }
    }

    /// The wanted session.
    private struct Wanted {
        var request: SessionRequest
        var mode: TapedeckMode
        var deckMode: DeckMode
        var scratch: RecordingScratch?
    }

    private static func request(
        _ options: TapedeckOptions,
        name: String,
        at place: CodePlace,
        _ deck: RunningDeck,
        _ environment: TestEnvironment
    ) throws -> Wanted {
        let mode = try self.mode(options, environment)
        let folder = options.cassetteFolder(mode, at: place)
        let deckMode = try self.deckMode(mode, options, folder, deck)
        try self.checkRecording(deckMode, mode, options, deck, environment)
        let cassettes = try CassetteResolution(
            options.cassettes,
            folder: folder,
            sources: options.sourceFolder(at: place),
            deck: deck,
            isRecording: deckMode.records
        )
        if let missing = cassettes.missing.first { throw options.missingCassette(missing, isCI: environment.isCI) }
        var request = SessionRequest()
        request.name = self.shortened(name)
        request.mode = deckMode.rawValue
        request.ownProfile = true
        request.cassettes = cassettes.names
        request.files = cassettes.files.isEmpty ? nil : cassettes.files
        request.paths = cassettes.paths.isEmpty ? nil : cassettes.paths
        request.selections = options.select.isEmpty ? nil : options.select
        var profiles = options.profiles
        if let variant = options.recordingVariant {
            if deckMode == .record { request.recordingVariant = variant }
            // Where a session records, it may be this recording that makes the profile.
            if deckMode == .replay { profiles.append(variant) }
        }
        request.profiles = profiles.isEmpty ? nil : profiles.map { ProfileChoice($0) }
        request.state = options.state.isEmpty ? nil : options.state
        request.seed = options.seed
        request.match = options.match?.map(\.rawValue)
        return Wanted(request: request, mode: mode, deckMode: deckMode, scratch: cassettes.scratch)
    }

    /// Checks that a session that records may, and can.
    private static func checkRecording(
        _ deckMode: DeckMode,
        _ mode: TapedeckMode,
        _ options: TapedeckOptions,
        _ deck: RunningDeck,
        _ environment: TestEnvironment
    ) throws(TapedeckError) {
        guard deckMode.records else { return }
        guard !options.cassettes.isEmpty else {
            throw TapedeckError(
                .badOptions,
                "a recording needs a cassette to be written into: name one, before any others; it need not be there yet"
            )
        }
        guard !environment.isCI else {
            throw TapedeckError(
                .recordingRefused,
                "nothing is recorded where CI is set: record on your own machine, commit the cassette, and have CI play it"
            )
        }
        guard deck.allowsDialling else {
            throw TapedeckError(
                .badOptions,
                "the deck at \(deck.control.url) only replays, so that no test can have the mode \(mode) on it; start it with "
                    + "`tapedeck serve`"
            )
        }
    }

    /// Returns the session's mode, before the existence of its cassettes is checked.
    package static func mode(_ options: TapedeckOptions, _ environment: TestEnvironment) throws -> TapedeckMode {
        if let mode = options.mode { return mode }
        guard let text = environment.mode else { return .replay }
        guard let mode = TapedeckMode(rawValue: text) else {
            let modes = TapedeckMode.allCases.map(\.rawValue)
            let hint = Spelling.nearest(to: text, among: modes).map { "; did you mean \"\($0)\"?" } ?? ""
            throw TapedeckError(
                .badOptions,
                "TAPEDECK_MODE is \"\(text)\"; it must be one of \(modes.joined(separator: ", "))\(hint)"
            )
        }
        // The first cassette is written: where that is no file and of no store, or there is none, there is nothing to record.
        return options.cassettes.first?.isRecordedByEnvironment ?? false ? mode : .replay
    }

    private static func deckMode(
        _ mode: TapedeckMode,
        _ options: TapedeckOptions,
        _ folder: String,
        _ deck: RunningDeck
    ) throws -> DeckMode {
        guard mode != .replay else { return .replay }
        // Noted in every mode, for tests that use the cassette later in this process with the mode `once`.
        let wasMissing = try options.cassettes.first?.wasMissing(in: folder, deck) ?? true
        switch mode {
        case .replay: return .replay
        case .once: return wasMissing ? .record : .replay
        case .new: return .append
        case .all: return .record
        }
    }

    /// As long as the deck takes. A digest tells long names apart.
    private static func shortened(_ name: String) -> String {
        let plain = String(name.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        return plain.count <= 200 ? plain : "\(plain.prefix(80))…\(plain.suffix(109)) \(TestFileName.digest(name))"
    }

    /// Has requests of `URLSession.shared` come to a session that wants them.
    private static func catchSharedSession(for deck: Tapedeck, inside outer: Tapedeck?) throws {
        guard deck.options.sharedURLSession == true else { return }
        let catching = try SharedSessionCatch(deck.route, inside: outer?.catching.withLock { $0 })
        deck.catching.withLock { $0 = catching }
    }

    private static func releaseSharedSession(of deck: Tapedeck) {
        // Not under the lock: the end of a catch restores storages of Foundation.
        let catching = deck.catching.withLock { catching in
            defer { catching = nil }
            return catching
        }
        _ = catching
    }

    // MARK: The end

    /// The result of a session.
    package struct Outcome: Sendable {
        /// The problems, in the order to report them.
        package var issues: [TestIssue]
        /// The traffic, for a test that failed.
        package var traffic: String
    }

    /// Ends a session and says what is wrong with it.
    ///
    /// - Parameter error: what the test threw, which the first issue then tells.
    package static func close(_ deck: Tapedeck, after error: (any Error)?) async -> Outcome {
        await deck.pump.stop()
        self.releaseSharedSession(of: deck)
        deck.trust.remove()
        let thrown = self.thrown(error)
        // Also for a test that was cancelled, whose tasks wait for nothing.
        return await Task.detached {
            do {
                return try await OwnThread.run { self.end(deck, after: thrown) }
            } catch {
                return Outcome(issues: [self.unknown(error, deck)], traffic: "")
            }
        }.value
    }

    /// Returns the text of the first issue for an error; `nil` if the test framework has reported it already, as it
    /// does for `#require` and our own failures.
    private static func thrown(_ error: (any Error)?) -> String? {
        guard let error else { return nil }
        let isTold = (error as? TapedeckFailure)?.isReported ?? IssueReporter.registered?.isTold(error) ?? false
        return isTold ? nil : "after the test threw \(error): "
    }

    /// - Parameter thrown: how the first issue begins.
    private static func end(_ deck: Tapedeck, after thrown: String?) -> Outcome {
        let ledger = deck.ledger.withLock { ledger in
            ledger.isOver = true
            return ledger
        }
        let verification = Verification(deck: deck, ledger: ledger)
        var outcome = Outcome(issues: [], traffic: "")
        var thrown = thrown
        do {
            let issues = try verification.issues() + verification.issuesOfHeld()
            outcome.traffic = try deck.traffic()
            outcome.traffic += ledger.sent.map { "\n    \($0)" }.joined()
            outcome.issues = try issues.shown(by: deck.session)
            // An error may have a URL in it, as a `URLError` has.
            if let text = thrown { thrown = try deck.session.shown([text]).first }
        } catch {
            thrown = thrown == nil ? nil : "after the test threw an error: "
            outcome.issues.append(self.unknown(error, deck))
        }
        // After any error, nothing of it remains.
        do {
            let report = try deck.session.end()
            outcome.issues += verification.issues(of: report)
            outcome.traffic += (report.notRecorded ?? []).map { "\n    \($0)" }.joined()
            if let scratch = deck.scratch {
                try scratch.keep()
                scratch.remove()
            } else {
                RecordingLines.print(report.saved)
            }
        } catch {
            // Said already of a deck that is gone.
            if outcome.issues.last?.message != self.unknown(error, deck).message {
                outcome.issues.append(self.unknown(error, deck))
            }
        }
        if let thrown, !outcome.issues.isEmpty {
            outcome.issues[0].message = thrown + outcome.issues[0].message
        }
        return outcome
    }

    private static func unknown(_ error: any Error, _ deck: Tapedeck) -> TestIssue {
        TestIssue("the deck cannot say what was asked: \(TapedeckError(error))", at: deck.place)
    }
}
