import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

/// A browser in place of a command.
struct BrowserOptions: ParsableArguments {
    enum Browser: String, CaseIterable, ExpressibleByArgument {
        case chromium
        case firefox

        /// Names that distributions and vendors give the program, the likeliest first.
        fileprivate var programs: [String] {
            switch self {
            case .chromium: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
            case .firefox: ["firefox", "firefox-esr"]
            }
        }
    }

    @Option(DeckOption.browser) var browser: Browser?

    /// Returns the command for a deck: the browser with `arguments`, after preparing its profile. `nil` without
    /// `--browser`.
    ///
    /// - Parameter authority: the path of the certificate of the deck's authority.
    func command(_ profile: BrowserProfile, trusting authority: String, _ arguments: [String]) throws -> [String]? {
        guard let browser = self.browser else { return nil }
        let program = browser.programs.first(where: Executables.contains) ?? browser.programs[0]
        switch browser {
        case .chromium: return profile.chromium(program, arguments)
        case .firefox:
            try profile.prepareFirefox()
            for command in profile.trustInFirefox(authority) { try Self.prepare(command) }
            return profile.firefox(program, arguments)
        }
    }

    private static func prepare(_ command: [String]) throws {
        let tool = command[0]
        guard Executables.contains(tool) else {
            throw DeckError(
                """
                cannot give Firefox the certificate authority: there is no \(tool); install libnss3-tools (Debian, Ubuntu) \
                or nss-tools (Fedora)
                """
            )
        }
        let status: Int32
        do throws(ChildProcess.Failure) {
            status = try ChildProcess(command, environment: ProcessEnvironment.variables).wait()
        } catch {
            throw DeckError(error.message)
        }
        guard status == 0 else {
            throw DeckError("cannot give Firefox the certificate authority: \(tool) failed with exit code \(status)")
        }
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
