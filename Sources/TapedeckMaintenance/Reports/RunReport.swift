package import TapedeckCassettes
package import TapedeckCore

/// A report of a run: the number of requests to each response set of each cassette, and how often each variant played.
/// `tapedeck prune` and `tapedeck coverage` read the reports of full runs.
package struct RunReport: Sendable, Equatable {
    /// `replay`, `append` or `serve`.
    package var mode: String
    /// The name of the program that was run, without its arguments, which may hold secrets.
    package var command: String?
    /// The exit code of the run: of the command, or Tapedeck's own.
    package var exitCode: Int
    /// The reason why the run was not a full one, if known.
    package var incomplete: String?
    /// When it was written, RFC 3339.
    package var written: String
    /// Requests answered from a tape, and answered by nothing.
    package var played: Int
    package var unmatched: Int
    /// Requests that went to their servers.
    package var forwarded = 0
    /// The places whose values differed from the recorded ones, each with its set.
    package var varied: [String] = []
    /// The places that vary and were noted in cassettes, each with its set.
    package var learned: [String] = []
    /// Paths are relative to where Tapedeck ran, as far as they are below that.
    package var cassettes: [CassetteUsage]
    /// False for a report of an older Tapedeck, which did not count the answers of variants.
    package var countsVariants = true

    /// The number of the format of the file.
    static let formatVersion = 1

    package init(
        mode: String,
        command: String?,
        exitCode: Int,
        incomplete: String? = nil,
        written: String,
        usage: [CassetteUsage]
    ) {
        self.mode = mode
        self.command = command
        self.exitCode = exitCode
        self.incomplete = incomplete
        self.written = written
        self.played = 0
        self.unmatched = 0
        self.cassettes = usage.map { CassetteUsage(path: WorkingFolder.shown($0.path), sets: $0.sets) }
    }

    /// The reason not to prune by it; `nil` for a successful full run.
    package var doubt: String? {
        if self.exitCode != 0 { return "its run ended with exit code \(self.exitCode)" }
        if let incomplete = self.incomplete { return "its run was not a full one: \(incomplete)" }
        return nil
    }

    // MARK: Writing

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
