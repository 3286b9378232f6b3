import ArgumentParser
import TapedeckCassettes
import TapedeckDeck
import TapedeckMaintenance

struct Ignore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ignore",
        abstract: "Let places of requests differ from the recorded ones.",
        discussion: """
            Adds to the `ignore:` of a cassette; the rest of the file stays as it is. A place is query:NAME, \
            headers:NAME, json:PATH (such as json:$.order.time), form:FIELD, parts:NAME of a multipart body, or \
            xml:PATH (such as xml://Nonce or xml:/Order/@id). The report of an unmatched request has the places that \
            differ.
            """
    )

    @Argument(help: "The cassette: a name, or a path.", completion: .cassettes)
    var cassette: String
    @Argument(help: ArgumentHelp("The places to ignore.", valueName: "place"))
    var places: [String]
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard !self.places.isEmpty else { throw ValidationError("which place? Such as query:page or json:$.time") }
    }

    func run() throws {
        try ExitStatus.reporting {
            let location = CassetteFolder.location(self.cassette, folder: self.folder.folder)
            let added = try IgnoredPlaces.add(self.places, to: location)
            Terminal.note(
                added.isEmpty
                    ? "\(location.path) ignores that already"
                    : "\(location.path) ignores \(added.joined(separator: ", ")) now"
            )
        }
    }
}
