import ArgumentParser
import TapedeckServer

/// A browser in place of a command.
struct BrowserOptions: ParsableArguments {
    enum Browser: String, CaseIterable, ExpressibleByArgument {
        case chromium
    }

    /// Names that distributions and vendors give the program, the likeliest first.
    private static let programs = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]

    @Option(
        help: ArgumentHelp(
            """
            Start a browser with a fresh profile that goes through the deck. What follows -- are its arguments, such as a \
            URL.
            """,
            valueName: "browser"
        )
    )
    var browser: Browser?

    /// The command for a deck: the browser with `arguments`.
    func command(_ profile: BrowserProfile, _ arguments: [String]) -> [String] {
        let program = Self.programs.first(where: Executables.contains) ?? Self.programs[0]
        return profile.chromium(program, arguments)
    }
}
