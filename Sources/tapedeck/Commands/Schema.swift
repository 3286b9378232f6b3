import ArgumentParser
import TapedeckCassettes

/// `tapedeck schema`: what files may have, for editors.
struct Schema: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the JSON Schema of cassettes, for editors that complete and check YAML.",
        discussion: """
            It says which keys there are, what they mean, and what may stand there (draft 2020-12). `tapedeck check` \
            finds more: it knows what the parts of a file mean together.
            """
    )

    @Flag(help: "Print that of the project file, tapedeck.yaml.")
    var project = false
    @Flag(help: "Print that of the output of commands with --json.")
    var output = false

    func validate() throws {
        guard !self.project || !self.output else { throw ValidationError("--project and --output exclude each other") }
    }

    func run() {
        guard !self.output else { return Terminal.print(HelpPages.outputSchema) }
        let schema = self.project ? CassetteSchema.project : CassetteSchema.cassette
        Terminal.print(String(decoding: CassetteSchema.text(schema), as: UTF8.self))
    }
}
