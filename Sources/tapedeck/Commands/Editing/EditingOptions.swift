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
        try self.carryOut { try $0.change(self.location(cassette), by: edits) }
    }

    /// Writes new texts of cassettes, or prints the lines that would change.
    func carryOut(_ work: (CassetteStore) throws -> CassetteRewrite) throws {
        try ExitStatus.reporting {
            do {
                let rewrite = try work(.onDisk)
                if self.isTrial {
                    self.show(rewrite)
                } else {
                    try rewrite.write(with: .onDisk)
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
            case (_, nil): Terminal.print("\(file.location.path): removed")
            case (nil, let new?): Terminal.print("\(file.location.path): new, \(new.count) bytes")
            case (let old?, let new?):
                let lines = LineDiff.lines(
                    from: String(decoding: old, as: UTF8.self),
                    to: String(decoding: new, as: UTF8.self),
                    limit: 200
                )
                Terminal.print(([file.location.path] + lines).joined(separator: "\n"))
            }
        }
    }
}
