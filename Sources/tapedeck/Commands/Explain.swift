import ArgumentParser
import TapedeckCore
import TapedeckDeck

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show which response set answers a request and why, or why none does.",
        usage: "tapedeck explain [<options>] <cassette> ... <method> <url>",
        discussion: "Exits with 70 if nothing answers."
    )

    @Argument(
        help: ArgumentHelp("The cassettes, then a method and an absolute URL.", valueName: "cassette"),
        completion: .cassettes
    )
    var words: [String]

    @Option(
        name: .customLong("header"),
        help: ArgumentHelp("A header of the request; may be repeated.", valueName: "name: value")
    )
    var headers: [String] = []

    @Option(help: ArgumentHelp("The body of the request: a text, @FILE, or @- for standard input.", valueName: "text"))
    var body: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "As with `replay`: let variants with `passthrough: true` contact the live API. Connects to nothing.")
    var allowPassthrough = false

    @OptionGroup var selection: SelectionOptions
    @OptionGroup var folder: FolderOptions

    func validate() throws {
        guard self.words.count >= 3 else {
            throw ValidationError("give one or more cassettes, a method and a URL")
        }
    }

    /// Methods are case-sensitive (RFC 9110 section 9.1), and nobody who types `get` means another one than GET.
    private static func method(_ word: String) -> String {
        let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY"]
        return methods.first { ASCII.equalsIgnoringCase($0, word) } ?? word
    }

    func run() throws {
        try ExitStatus.reporting {
            let cassettes = Array(self.words.dropLast(2))
            var configuration = DeckConfiguration.replay(cassettes, folder: self.folder.folder)
            configuration.allowsPassthrough = self.allowPassthrough
            self.selection.apply(to: &configuration)
            var request = RequestExplanation.Request(
                method: Self.method(self.words[self.words.count - 2]),
                url: self.words[self.words.count - 1]
            )
            request.headers = self.headers
            request.body = self.body
            let explanation = try RequestExplanation(request, configuration)
            for line in explanation.warnings { Terminal.note("warning: \(line)") }
            self.json ? Terminal.print(explanation.json) : Terminal.show(explanation.lines.joined(separator: "\n"))
            if !explanation.isAnswered { throw ExitStatus.unmatched }
        }
    }
}
