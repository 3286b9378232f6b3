import ArgumentParser
import TapedeckDeck

/// A browser in place of a command.
struct BrowserOptions: ParsableArguments {
    enum Browser: String, CaseIterable, ExpressibleByArgument {
        case chromium
    }

    /// Names that distributions and vendors give the program, the likeliest first.
    private static let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

    @Option(DeckOption.browser) var browser: Browser?

    /// The command for a deck: the browser with `arguments`.
    func command(_ profile: BrowserProfile, _ arguments: [String]) -> [String] {
        let program = Self.programs.first(where: Executables.contains) ?? Self.programs[0]
        return profile.chromium(program, arguments)
    }
}

extension DeckOption {
    static let browser = DeckOption("browser", value: "browser", in: .running, place: .nowhere)
        .with(
            help: """
                Start a browser with a fresh profile that goes through the deck. Arguments of the browser, such as a URL, \
                follow --.
                """
        )
}

extension BrowserOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.browser]
}
