import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

/// The options of the commands that edit cassettes, and how they write.
struct EditingOptions: ParsableArguments {
    @Flag(name: .customLong("dry-run"), help: "Print the lines that would change, and write nothing.")
    var isTrial = false

    @OptionGroup var folder: FolderOptions

    func location(_ cassette: String) -> CassetteLocation {
        CassetteFolder.location(cassette, folder: self.folder.folder)
    }

    /// Edits one cassette.
    func edit(_ cassette: String, _ edits: [CassetteEdit]) throws {
        try self.carryOut("editing") { store, _ in try store.change(self.location(cassette), by: edits) }
    }

    /// Writes new texts of cassettes, or prints the lines that would change.
    ///
    /// - Parameter doing: the work in a word, for a terminal.
    func carryOut(_ doing: String, _ work: (CassetteStore, WorkProgress) throws -> CassetteRewrite) throws {
        // Each cassette that is written takes one, as long as it is locked.
        OpenFiles.raise()
        try ExitStatus.reporting {
            do {
                let rewrite = try Progress.counting(doing) { try work(.onDisk, $0) }
                if self.isTrial {
                    self.show(rewrite)
                } else {
                    try Progress.counting("writing") { try rewrite.write(with: .onDisk, progress: $0) }
                    for file in rewrite.files where file.old == nil { Terminal.note("\(file.location.path) is new") }
                }
                for warning in rewrite.warnings { Terminal.note("\(warning)", .warning) }
                if rewrite.isEmpty { Terminal.note("nothing to change") }
            } catch let error as CassetteEdit.Invalid {
                throw DeckError(error.description, kind: .badOption)
            } catch {
                throw DeckError(error, kind: .notSaved)
            }
        }
    }

    private func show(_ rewrite: CassetteRewrite) {
        for file in rewrite.files {
            switch (file.old, file.new) {
            case (_, nil): Terminal.show("\(file.location.path): removed")
            case (nil, let new?): Terminal.show("\(file.location.path): new, \(new.count) bytes")
            case (let old?, let new?):
                let lines = LineDiff.lines(
                    from: String(decoding: old, as: UTF8.self),
                    to: String(decoding: new, as: UTF8.self),
                    limit: 200
                )
                Terminal.show(([file.location.path] + lines).joined(separator: "\n"))
            }
        }
    }
}
