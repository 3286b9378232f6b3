import TapedeckCassettes
package import TapedeckCore
import TapedeckSessions

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a run asked for: how often each response set of each cassette answered. `tapedeck prune` goes by the reports of
/// full runs.
package struct RunReport: Sendable, Equatable {
    /// `replay`, `append` or `serve`.
    package var mode: String
    /// The name of the program that was run, without its arguments, which may hold secrets.
    package var command: String?
    /// The exit code of the run: of the command, or Tapedeck's own.
    package var exitCode: Int
    /// Why the run did not ask for all that a full one asks for, where that is known.
    package var incomplete: String?
    /// When it was written, RFC 3339.
    package var written: String
    /// Requests answered from a tape, and answered by nothing.
    package var played: Int
    package var unmatched: Int
    /// Paths are relative to where Tapedeck ran, as far as they are below that.
    package var cassettes: [CassetteUsage]

    /// The number of the format of the file.
    static let formatVersion = 1

    package init(mode: String, command: String?, exitCode: Int, incomplete: String? = nil, usage: [CassetteUsage]) {
        self.mode = mode
        self.command = command
        self.exitCode = exitCode
        self.incomplete = incomplete
        self.written = Instant.now.rfc3339
        self.played = 0
        self.unmatched = 0
        self.cassettes = usage.map { CassetteUsage(path: WorkingFolder.shown($0.path), sets: $0.sets) }
    }

    /// Why cassettes should not be pruned by it; `nil` for a run that went well and asked for all.
    package var doubt: String? {
        if self.exitCode != 0 { return "its run ended with exit code \(self.exitCode)" }
        if let incomplete = self.incomplete { return "its run was not a full one: \(incomplete)" }
        return nil
    }

    // MARK: Writing

    /// Where the report of this process goes by `TAPEDECK_REPORT`: the number of the process goes in front of the ending,
    /// since several processes may have been given the same name. `nil` where the variable is not set.
    package static var fileOfThisProcess: String? {
        ProcessEnvironment.value("TAPEDECK_REPORT").map { self.file($0, process: getpid()) }
    }

    static func file(_ path: String, process: Int32) -> String {
        let name = FilePath.name(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(path)-\(process)" }
        let ending = name[dot...]
        return "\(path.dropLast(ending.count))-\(process)\(ending)"
    }

    /// Writes the report of a deck's run, if the deck was started with a place for one.
    ///
    /// - Parameter exitCode: what the run ends with.
    /// - Throws: ``DeckError`` when the file cannot be written.
    package static func write(
        _ deck: DeckReport,
        of configuration: DeckConfiguration,
        _ command: [String],
        exitCode: Int32
    ) throws(DeckError) {
        guard let file = configuration.reportFile else { return }
        var report = RunReport(
            mode: configuration.command,
            command: command.first.map(FilePath.name),
            exitCode: Int(exitCode),
            usage: deck.usage
        )
        report.played = (deck.session?.played ?? 0) + deck.others.played
        report.unmatched = deck.unmatchedCount + deck.others.unmatchedCount
        try report.write(to: file)
    }

    /// Makes the folder, too.
    package func write(to file: String) throws(DeckError) {
        do {
            try FileContents.makeFolder(FilePath.folder(of: file))
            try FileContents.replace(file, with: Array((self.json.pretty + "\n").utf8), waitsForDisk: false)
        } catch {
            throw DeckError("the report could not be written: \(error)", kind: .notSaved)
        }
    }
}

/// The folder that the process runs in.
enum WorkingFolder {
    /// The path without symbolic links, `.` and `..`; where there is no such file, below the working folder.
    static func canonical(_ path: String) -> String {
        if let pointer = realpath(path, nil) {
            defer { free(pointer) }
            return String(cString: pointer)
        }
        guard !path.hasPrefix("/"), let pointer = realpath(".", nil) else { return path }
        defer { free(pointer) }
        return FilePath.join(String(cString: pointer), path)
    }

    /// The path relative to the working folder, where it is below that.
    static func shown(_ path: String) -> String {
        let path = self.canonical(path)
        let folder = self.canonical(".") + "/"
        return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
}
