import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckDeck

struct Matrix: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Run a command with each variant of the response sets that it requests.",
        usage: "tapedeck matrix [<options>] <cassette> -- <command> ...",
        discussion: """
            The first run plays the cassette as it is and must succeed. Each further run selects one variant of one \
            response set that the first one requested, has its own deck, and is stopped at the time limit. Prints the \
            variants with which the command failed. Exits with 0 if there are none, with 1 if there are some, and with \
            130 if it was interrupted.
            """
    )

    @Argument(help: "The cassette: a name, or a path.", completion: .cassettes)
    var cassette: String

    @Option(
        name: .customLong("variants"),
        help: ArgumentHelp(
            "Only the variants of this response set; may be repeated (default: of all that the command requests).",
            valueName: "set"
        )
    )
    var sets: [String] = []

    @Option(
        name: .customLong("profiles"),
        help: ArgumentHelp("Apply this profile in place of variants; may be repeated.", valueName: "profile")
    )
    var profiles: [String] = []

    @Flag(help: "Select the built-in variants, such as offline and server-error, in place of those on tape.")
    var builtIn = false

    @Option(help: ArgumentHelp("The number of runs at a time.", valueName: "number"))
    var jobs = 4

    @Option(help: ArgumentHelp("The time limit of a run, in seconds.", valueName: "seconds"))
    var timeLimit = 60

    @Flag(help: "Print a table in Markdown.")
    var markdown = false

    @Option(help: ArgumentHelp("Write the results to this file, in the XML of JUnit.", valueName: "file"))
    var junit: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard [!self.sets.isEmpty, !self.profiles.isEmpty, self.builtIn].filter({ $0 }).count <= 1 else {
            throw ValidationError("--variants, --profiles and --built-in exclude each other")
        }
        guard (1...64).contains(self.jobs) else { throw ValidationError("--jobs takes a number from 1 to 64") }
        guard self.timeLimit > 0 else { throw ValidationError("--time-limit takes a number of seconds above 0") }
        guard !self.output.json || !self.markdown else {
            throw ValidationError("--json and --markdown exclude each other")
        }
        guard !CommandLineParts.current.command.isEmpty else {
            throw ValidationError("give the command to run behind --")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            _ = try CassetteFolder.files([self.cassette], folder: self.folder.folder)
            let runs = try MatrixRuns(
                cassette: [self.cassette] + (self.folder.folder.map { ["--cassettes", $0] } ?? []),
                command: CommandLineParts.current.command,
                timeLimit: self.timeLimit,
                jobs: self.jobs
            )
            defer { runs.remove() }
            let plan = try self.plan(runs)
            var done = 0
            let endings = try Self.starting {
                () throws(ChildProcess.Failure) in
                try runs.run(plan.cases.map(\.options)) { number, ending in
                    done += 1
                    let result = Self.result(plan.cases[number], ending).rawValue
                    Terminal.note("matrix: \(done) of \(plan.cases.count): \(plan.cases[number].title): \(result)")
                }
            }
            let report = MatrixReport(
                cassette: self.cassette,
                runs: zip(plan.cases, endings).map { matrixCase, ending in
                    MatrixReport.Run(
                        matrixCase,
                        ending.map { Self.result(matrixCase, $0) } ?? .notRun,
                        exitCode: ending?.exitCode.map(Int.init),
                        seconds: ending?.seconds ?? 0,
                        output: ending?.output ?? []
                    )
                }
            )
            try self.print(report)
            if !report.isComplete { throw ExitCode(130) }
            if report.hasFailures { throw ExitStatus.found }
        }
    }

    /// Plans the runs by a first one with the defaults.
    private func plan(_ runs: MatrixRuns) throws -> MatrixPlan {
        let first = try Self.starting { () throws(ChildProcess.Failure) in try runs.run([[]])[0] }
        guard let first else { throw ExitCode(130) }
        guard first.exitCode == 0, let report = first.report else {
            for line in first.output { Terminal.note(line, .error) }
            let how = first.exitCode.map { "it ended with exit code \($0)" } ?? "it ran longer than the time limit"
            throw DeckError(
                "the command fails as it is, with the defaults of \(self.cassette): \(how); nothing else was run",
                kind: .cannotStart
            )
        }
        let choice: MatrixPlan.Choice =
            self.builtIn ? .builtIn : self.profiles.isEmpty ? .variants(self.sets) : .profiles(self.profiles)
        let plan = try MatrixPlan(choice, of: self.cassette, folder: self.folder.folder, first: report)
        guard !plan.cases.isEmpty else {
            throw DeckError(
                "there is nothing to try: no response set that the command requested has a further variant; record one "
                    + "with `tapedeck record \(self.cassette) --variant NAME`, or use --built-in",
                kind: .badOption
            )
        }
        return plan
    }

    private static func starting<Value>(_ work: () throws(ChildProcess.Failure) -> Value) throws -> Value {
        do throws(ChildProcess.Failure) {
            return try work()
        } catch {
            throw DeckError(error.message, kind: .cannotStart)
        }
    }

    private static func result(_ matrixCase: MatrixPlan.Case, _ ending: MatrixRuns.Ending) -> MatrixReport.Result {
        guard let code = ending.exitCode else { return .timedOut }
        guard code == 0 else { return .failed }
        guard let set = matrixCase.set, let report = ending.report else { return .passed }
        return MatrixPlan.requested(report).contains(set) ? .passed : .notRequested
    }

    private func print(_ report: MatrixReport) throws {
        if let file = self.junit {
            do {
                try report.writeJUnit(to: file)
            } catch {
                throw DeckError("the results could not be written: \(error)", kind: .notSaved)
            }
        }
        if self.markdown {
            Terminal.show(report.markdown)
        } else {
            try self.output.print(report, table: report.rows)
            if !self.output.json, report.hasFailures { Terminal.show("\n" + report.details) }
        }
        Terminal.note("matrix: \(report.summary)")
    }
}
