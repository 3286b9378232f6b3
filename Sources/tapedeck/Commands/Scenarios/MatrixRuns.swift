import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance
import TapedeckPlatform

/// The processes of `tapedeck matrix`: `tapedeck replay` with the command, each with a deck of its own.
struct MatrixRuns {
    /// The end of one process.
    struct Ending {
        /// `nil` for one that was stopped.
        var exitCode: Int32?
        var seconds: Double
        /// The first lines that the command wrote.
        var output: [String]
        /// The report of the run; `nil` if none was written.
        var report: RunReport?
    }

    /// The time in seconds after which a stopped process is killed.
    private static let grace = 5
    /// The number of lines of the command's output that are kept.
    private static let outputLines = 5
    /// The number of bytes of the output that are read for that.
    private static let outputLimit = 64 << 10

    /// The arguments in front of the options of a run.
    let cassette: [String]
    let command: [String]
    /// In seconds.
    let timeLimit: Int
    let jobs: Int
    /// A folder of this process alone.
    private let folder: String

    init(cassette: [String], command: [String], timeLimit: Int, jobs: Int) throws {
        self.cassette = cassette
        self.command = command
        self.timeLimit = timeLimit
        self.jobs = jobs
        var template = Array("\(ProcessEnvironment.value("TMPDIR") ?? "/tmp")/tapedeck-matrix-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DeckError("cannot make a folder for the runs: \(String(cString: strerror(errno)))", kind: .notSaved)
        }
        self.folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Removes what the runs have written.
    func remove() {
        rmdir(self.folder)
    }

    private struct Running {
        var number: Int
        var process: ChildProcess
        var start: ContinuousClock.Instant
        /// The time at which it was stopped.
        var stopped: ContinuousClock.Instant?
    }

    /// Runs the command once for each list of options, side by side up to the limit.
    ///
    /// - Parameter note: called with the number of each run that has ended.
    /// - Returns: the endings, `nil` for runs that did not end because a signal came first.
    func run(_ options: [[String]], note: (Int, Ending) -> Void = { _, _ in }) throws(ChildProcess.Failure) -> [Ending?]
    {
        var endings: [Ending?] = Array(repeating: nil, count: options.count)
        var running: [Running] = []
        var next = 0
        var isInterrupted = false
        while !running.isEmpty || (next < options.count && !isInterrupted) {
            while running.count < self.jobs, next < options.count, !isInterrupted {
                running.append(
                    Running(number: next, process: try self.start(next, options[next]), start: .now)
                )
                next += 1
            }
            // An ended child is a signal, too.
            let event = Signals.next(before: .now + .milliseconds(200))
            if let event, [SIGINT, SIGTERM, SIGHUP].contains(event.number), !isInterrupted {
                isInterrupted = true
                for run in running { run.process.send(SIGTERM) }
            }
            for index in running.indices.reversed() {
                let run = running[index]
                let seconds = Self.seconds(since: run.start)
                guard let code = run.process.exitCode() else {
                    if let stopped = run.stopped {
                        if Self.seconds(since: stopped) > Double(Self.grace) { run.process.send(SIGKILL) }
                    } else if isInterrupted || seconds > Double(self.timeLimit) {
                        run.process.send(SIGTERM)
                        running[index].stopped = .now
                    }
                    continue
                }
                running.remove(at: index)
                let ending = self.ending(run, code, seconds)
                if isInterrupted { continue }
                endings[run.number] = ending
                note(run.number, ending)
            }
        }
        return endings
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        let time = ContinuousClock.now - start
        let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        return Double(milliseconds) / 1000
    }

    private func file(_ number: Int, _ ending: String) -> String { "\(self.folder)/\(number).\(ending)" }

    private func start(_ number: Int, _ options: [String]) throws(ChildProcess.Failure) -> ChildProcess {
        // The shell gives the run a file to write to, and nothing to read.
        let replay =
            ["/bin/sh", "-c", #"out=$1; shift; exec "$@" >"$out" 2>&1 </dev/null"#, "sh", self.file(number, "txt")]
            + [ThisProgram.path, "replay"] + self.cassette + ["--allow-unused", "--report", self.file(number, "json")]
            + options + ["--"] + self.command
        var environment = ProcessEnvironment.variables
        environment["TAPEDECK_REPORT"] = nil
        return try ChildProcess(replay, environment: environment)
    }

    private func ending(_ run: Running, _ code: Int32, _ seconds: Double) -> Ending {
        let (output, json) = (self.file(run.number, "txt"), self.file(run.number, "json"))
        defer { for file in [output, json] { unlink(file) } }
        return Ending(
            exitCode: run.stopped == nil ? code : nil,
            seconds: seconds,
            output: Self.lines(of: output),
            report: try? RunReport(file: json)
        )
    }

    /// Returns the first lines of a file, without those that Tapedeck itself wrote.
    private static func lines(of path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: self.outputLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        let own = lines.map { line in
            // The command's last line may have no end.
            line.firstRange(of: "tapedeck: replay: ").map { line[..<$0.lowerBound] } ?? line
        }
        return own.filter { !$0.isEmpty && !$0.hasPrefix("tapedeck: ") }.prefix(self.outputLines).map(String.init)
    }
}
