#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the environment says about decks. Read anew each time, as a test may set it.
struct TestEnvironment: Sendable {
    /// `TAPEDECK_URL`: the control API of a running deck.
    var url: String?
    /// `TAPEDECK_TOKEN`: what steers it.
    var token: String?
    /// `TAPEDECK_PROXY`: where clients reach it, if that is not where the deck says.
    var proxy: String?
    /// `TAPEDECK_MODE`: what sessions do that say nothing of it.
    var mode: String?
    /// Whether `CI` is set, as it is by every continuous integration.
    var isCI = false

    static var current: TestEnvironment {
        let ci = self.value("CI")?.lowercased()
        return TestEnvironment(
            url: self.value("TAPEDECK_URL"),
            token: self.value("TAPEDECK_TOKEN"),
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
