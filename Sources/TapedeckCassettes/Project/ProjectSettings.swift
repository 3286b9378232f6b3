package import TapedeckCore

/// What a project file says, which holds for all cassettes of a project.
package struct ProjectSettings: Sendable, Equatable {
    /// The file; `nil` where there is none.
    package var path: String?
    /// What is a secret, over the built-in rules.
    package var redaction = RedactionSettings()
    /// What is recorded.
    package var record = RecordSettings()
    /// How origins are reached.
    package var upstream = UpstreamSettings()
    /// When the pieces of bodies go out that came piece by piece, where a cassette does not say.
    package var streams: StreamPace?

    package init(path: String? = nil) {
        self.path = path
    }
}
