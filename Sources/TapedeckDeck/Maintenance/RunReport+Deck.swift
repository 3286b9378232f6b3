package import TapedeckCassettes
import TapedeckCore
package import TapedeckMaintenance
import TapedeckPlatform
import TapedeckSessions

extension RunReport {
    /// The file of this process's report by `TAPEDECK_REPORT`, with the process number before the extension, because
    /// several processes may share the variable. `nil` if it is not set.
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
            written: Instant.now.rfc3339,
            usage: deck.usage
        )
        report.played = (deck.session?.played ?? 0) + deck.others.played
        report.unmatched = deck.unmatchedCount + deck.others.unmatchedCount
        report.varied = deck.session?.varied ?? []
        report.learned = deck.learned.lines
        report.forwarded = deck.session?.forwarded ?? 0
        try report.write(to: file)
    }
}
