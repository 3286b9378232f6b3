import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckDeck
import TapedeckMaintenance
import TapedeckPlatform

/// Runs a command again, in replays of decks of their own, and says whether its cassettes play elsewhere.
///
/// Each replay is a process of its own: its deck has the surroundings that its command has.
struct Verification {
    /// The cassettes, by absolute path.
    private let cassettes: [CassetteLocation]
    /// Options of the command line that a replay has, too.
    private let options: [String]
    private let command: [String]
    /// Another working folder, for the second replay.
    private let folder: String?

    /// One of the replays.
    private struct Trial {
        /// Its surroundings, in words.
        var words: String
        var environment: [String: String]
        var folder: String?
    }

    /// - Parameters:
    ///   - cassettes: those that the command was run with.
    ///   - layers: the options in force.
    ///   - command: the command behind `--`.
    init(
        _ cassettes: [CassetteLocation],
        _ layers: OptionLayers,
        command: [String],
        in folder: String?
    ) {
        self.cassettes = cassettes
        self.command = command
        self.folder = folder.map(WorkingFolder.canonical)
        self.options = Self.options(layers)
    }

    /// Options with a path are left out: the cassettes are named by path, the project file is the same, and each replay has a
    /// report of its own.
    private static func options(_ layers: OptionLayers) -> [String] {
        let own: Set<String> = [
            "verify", "verify-in", "learn", "project", "no-project", "cassettes", "report", "variant",
        ]
        var options = layers.settings.flatMap { setting -> [String] in
            guard setting.source == .commandLine, setting.option.commands.contains("replay"),
                !own.contains(setting.option.name)
            else { return [] }
            switch setting.option.kind {
            case .variable: return []
            case .flag: return setting.isOn ? [setting.option.flag] : []
            case .switchable: return ["--\(setting.isOn ? "" : "no-")\(setting.option.name)"]
            case .value, .repeated: return setting.values.map { "\(setting.option.flag)=\($0)" }
            }
        }
        // Answers that servers of this machine gave must come from the tape.
        if layers["loopback"]?.isOn ?? false { options.append("--no-local") }
        if let variant = layers["variant"]?.values.last { options.append("--profile=\(variant)") }
        if layers["no-project"]?.isOn ?? false {
            options.append("--no-project")
        } else if let file = layers["project"]?.values.last
            ?? (try? ProjectOptionValues.read(file: nil, unless: false))?.path
        {
            options.append("--project=\(WorkingFolder.canonical(file))")
        }
        return options
    }

    /// - Parameter isReplayed: true if a replay has just succeeded, so that only the one elsewhere is left.
    /// - Throws: `ExitStatus.unmatched` unless all replays succeed.
    func run(isReplayed: Bool) throws {
        let temporary = ProcessEnvironment.temporaryFolder("tapedeck-verify")
        defer {
            FileContents.removeTree(temporary)
            FakeClock.cleanUp()
        }
        try FileContents.makeFolder(FilePath.join(temporary, "files"), mode: 0o700)
        guard self.cassettes.contains(where: { FileContents.exists($0.path) }) else {
            Terminal.note("verify: nothing was recorded, so there is nothing to replay")
            return
        }
        var varied: Set<String> = []
        var learned: [String] = []
        var forwarded = 0
        let trials = try (isReplayed ? [] : [self.here()]) + [self.elsewhere(temporary)]
        for (number, trial) in trials.enumerated() {
            let file = FilePath.join(temporary, "report-\(number).json")
            Terminal.note("verify: replaying \(trial.words)")
            let before = try self.cassettes.map { try FileContents.read($0.path) }
            var outcome = try self.run(trial, learns: !self.options.contains("--exact"), report: file)
            var rounds = 0
            while outcome.isSuccess, !outcome.learned.isEmpty {
                rounds += 1
                let places = Plural.text(outcome.learned.count, "place that varies", "places that vary")
                Terminal.note("verify: learned \(places); replaying once more")
                learned += outcome.learned.filter { !learned.contains($0) }
                // Values of a small choice are sometimes the same in two runs.
                outcome = try self.run(trial, learns: rounds < Self.mostRounds, report: file)
            }
            guard outcome.isSuccess else {
                // Lessons from before the first miss hold. A program that fails for another reason was misled.
                if outcome.unmatched == 0, !learned.isEmpty {
                    try self.restore(before)
                    Terminal.note("verify: what this replay has learned is not kept")
                }
                Terminal.note(Self.failure(trial, outcome), .error)
                throw ExitStatus.unmatched
            }
            varied.formUnion(outcome.varied)
            forwarded = max(forwarded, outcome.forwarded)
        }
        let places = varied.sorted()
        let count = Plural.text(places.count, "value varies", "values vary")
        Terminal.note("verified: replays offline and elsewhere" + (places.isEmpty ? "" : ", \(count):"))
        for place in places { Terminal.note("  \(place)") }
        if !learned.isEmpty {
            Terminal.note("learned, and noted as `varies` in \(self.cassettes.map(\.path).joined(separator: ", ")):")
            for place in learned { Terminal.note("  \(place)") }
        }
        if forwarded > 0 {
            let requests = Plural.text(forwarded, "request went to its", "requests went to their")
            Terminal.note("  but \(requests) server, as the rules for hosts say")
        }
    }

    /// Replays that learn, for each of the surroundings.
    private static let mostRounds = 5

    /// The outcome of a replay.
    private struct Outcome {
        var status: Int32
        var unmatched = 0
        var forwarded = 0
        var varied: [String] = []
        /// The places that it has noted in the cassettes.
        var learned: [String] = []

        var isSuccess: Bool { self.status == 0 }
    }

    private func run(_ trial: Trial, learns: Bool, report file: String) throws -> Outcome {
        var outcome = Outcome(status: try self.run(trial, options: learns ? ["--learn"] : [], report: file))
        guard let report = try? RunReport(file: file) else { return outcome }
        (outcome.unmatched, outcome.forwarded) = (report.unmatched, report.forwarded)
        (outcome.varied, outcome.learned) = (report.varied, report.learned)
        return outcome
    }

    private func restore(_ texts: [[UInt8]]) throws {
        for (cassette, text) in zip(self.cassettes, texts) {
            let now = try FileContents.read(cassette.path)
            if now != text { try CassetteStore.onDisk.replace(cassette, from: now, with: text) }
        }
    }

    private static func failure(_ trial: Trial, _ outcome: Outcome) -> String {
        if outcome.unmatched > 0 {
            let requests = Plural.text(outcome.unmatched, "request is", "requests are")
            return "not verified: replaying \(trial.words), \(requests) unmatched; tapedeck ignore lets a place differ"
        }
        return "not verified: replaying \(trial.words), the command ended with exit code \(outcome.status)"
    }

    private func run(_ trial: Trial, options: [String], report: String) throws -> Int32 {
        var arguments = [ThisProgram.path, "replay"] + self.cassettes.map { WorkingFolder.canonical($0.path) }
        arguments += self.options + options + ["--report=\(report)", "--"] + self.command
        if let folder = trial.folder {
            arguments = ["/bin/sh", "-c", #"cd "$1" && shift && exec "$@""#, "sh", folder] + arguments
        }
        let child: ChildProcess
        do throws(ChildProcess.Failure) {
            child = try ChildProcess(arguments, environment: trial.environment)
        } catch {
            throw DeckError(error.message)
        }
        return try self.wait(for: child)
    }

    /// Returns the exit code of a replay. A signal goes to it, and ends the verification.
    private func wait(for child: ChildProcess) throws -> Int32 {
        var received: Int32?
        while true {
            let event = Signals.next()
            switch event.number {
            case SIGCHLD:
                guard let code = child.exitCode() else { continue }
                if let received { throw ExitCode(128 + received) }
                return code
            case Signals.wake: continue
            default:
                if received == nil { received = event.number }
                // From the terminal it has come to the replay, too.
                if !event.isFromTerminal { child.send(event.number) }
            }
        }
    }

    // MARK: Trials

    private func here() throws -> Trial {
        Trial(words: "offline", environment: try self.environment())
    }

    private func environment() throws -> [String: String] {
        var environment = try MadeUpVariables.environment(for: self.cassettes)
        // They are for this process alone.
        for option in [DeckOption.verify, .verifyIn, .report] { environment[option.variable] = nil }
        return environment
    }

    /// With other surroundings, as far as no program depends on them.
    private func elsewhere(_ temporary: String) throws -> Trial {
        var environment = try self.environment()
        environment["TMPDIR"] = FilePath.join(temporary, "files")
        environment["TZ"] = "XYZ-9:30"
        environment["PYTHONHASHSEED"] = environment["PYTHONHASHSEED"] == "1" ? "2" : "1"
        var words = ["another time zone", "temporary folder"]
        if !self.options.contains("--clock=recorded"), let clock = FakeClock.installed {
            environment.merge(clock.variables(offset: 25 * 3600, inheriting: environment)) { $1 }
            words.append("day")
        }
        if let folder = self.folder { words.append("working folder (\(folder))") }
        let last = words.removeLast()
        return Trial(
            words: "in \(words.joined(separator: ", ")) and \(last)",
            environment: environment,
            folder: self.folder
        )
    }
}

extension VerifyOptions {
    /// - Throws: `DeckError` for options that cannot be followed.
    func check() throws {
        try ExitStatus.reporting {
            guard self.verifies || self.folder == nil else {
                throw DeckError("--verify-in goes with --verify", kind: .badOption)
            }
            guard !self.verifies || !CommandLineParts.current.command.isEmpty else {
                throw DeckError("--verify runs a command again: put it behind --", kind: .badOption)
            }
            if let folder = self.folder, !FileContents.isFolder(folder) {
                throw DeckError("--verify-in takes a folder, and \(folder) is none", kind: .badOption)
            }
        }
    }

    /// Runs the command again, if that was asked for. Called when it has succeeded.
    ///
    /// - Parameter isReplayed: true if that was a replay.
    func run(_ cassettes: [CassetteLocation], isReplayed: Bool) throws {
        guard self.verifies, let layers = try RunningOptions.layers?.get() else { return }
        try ExitStatus.reporting {
            let command = CommandLineParts.current.command
            try Verification(cassettes, layers, command: command, in: self.folder).run(isReplayed: isReplayed)
        }
    }
}
