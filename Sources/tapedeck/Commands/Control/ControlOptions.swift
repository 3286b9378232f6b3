import ArgumentParser
import TapedeckControlClient
import TapedeckDeck

/// The options that select a deck.
struct ControlOptions: ParsableArguments {
    @Option(
        name: .customLong("deck"),
        help: ArgumentHelp(
            "The control API of the deck (default: TAPEDECK_URL, else http://127.0.0.1:4748).",
            valueName: "url"
        )
    )
    var url: String?

    @Option(
        help: ArgumentHelp(
            "A file with the deck's token (default: TAPEDECK_TOKEN_FILE, else TAPEDECK_TOKEN).",
            valueName: "file"
        )
    )
    var tokenFile: String?

    /// - Throws: `DeckError` for a token that cannot be read, `ControlError` for an invalid URL.
    func client() throws -> ControlClient {
        let url = self.url ?? ProcessEnvironment.value("TAPEDECK_URL") ?? "http://127.0.0.1:4748"
        let file = self.tokenFile ?? ProcessEnvironment.value("TAPEDECK_TOKEN_FILE")
        return try ControlClient(url: url, token: try DeckToken.given(file: file)?.value)
    }
}

/// The option that selects a session.
struct SessionOptions: ParsableArguments {
    @OptionGroup var control: ControlOptions

    @Option(
        name: .customLong("session"),
        help: ArgumentHelp(
            "The session (default: TAPEDECK_SESSION, else `default`, the session of requests that name none).",
            valueName: "id"
        ),
        completion: .sessions
    )
    var id: String?

    func session() throws -> SessionClient {
        let key = self.id ?? ProcessEnvironment.value("TAPEDECK_SESSION") ?? "default"
        // With a session's whole key, its token is not needed here.
        return try self.control.client().session(String(key.prefix { $0 != ":" }))
    }
}

/// The output format: for people or for programs.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// Prints `value` as JSON, or rows as a table.
    func print(_ value: some Encodable, table rows: @autoclosure () -> [[String]]) throws {
        guard self.json else { return Terminal.print(table: rows()) }
        Terminal.print(try ControlJSON.text(value))
    }

    /// Prints `value` as JSON, or `text`.
    func print(_ value: some Encodable, or text: @autoclosure () throws -> String) throws {
        guard self.json else { return Terminal.show(try text()) }
        Terminal.print(try ControlJSON.text(value))
    }
}
