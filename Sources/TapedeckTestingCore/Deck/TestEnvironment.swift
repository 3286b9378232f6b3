import TapedeckPlatform

/// The environment variables for decks. Read each time, because a test may set them.
package struct TestEnvironment: Sendable {
    /// `TAPEDECK_URL`: the control API of a running deck.
    package var url: String?
    /// `TAPEDECK_TOKEN`: what steers it.
    package var token: String?
    /// `TAPEDECK_BIN`: the program that runs as a child process.
    package var binary: String?
    /// `TAPEDECK_PROXY`: where clients reach it, if that is not where the deck says.
    package var proxy: String?
    /// `TAPEDECK_MODE`: the mode of sessions without their own.
    package var mode: String?
    /// True if `CI` is set, as on CI services.
    package var isCI = false

    package init(
        url: String? = nil,
        token: String? = nil,
        binary: String? = nil,
        proxy: String? = nil,
        mode: String? = nil,
        isCI: Bool = false
    ) {
        self.url = url
        self.token = token
        self.binary = binary
        self.proxy = proxy
        self.mode = mode
        self.isCI = isCI
    }

    /// A substitute for the environment, for Tapedeck's own tests: the process has one for all tests.
    @TaskLocal package static var substitute: TestEnvironment?

    package static var current: TestEnvironment {
        if let substitute { return substitute }
        let ci = self.value("CI")?.lowercased()
        return TestEnvironment(
            url: self.value("TAPEDECK_URL"),
            token: self.value("TAPEDECK_TOKEN"),
            binary: self.value("TAPEDECK_BIN"),
            proxy: self.value("TAPEDECK_PROXY"),
            mode: self.value("TAPEDECK_MODE"),
            isCI: ci != nil && ci != "false" && ci != "0"
        )
    }

    private static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
