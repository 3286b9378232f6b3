package import TapedeckCore

/// The settings of a project file, for all cassettes of a project.
package struct ProjectSettings: Sendable, Equatable {
    /// The file; `nil` where there is none.
    package var path: String?
    /// The rules for secrets, over the built-in ones.
    package var redaction = RedactionSettings()
    /// The rules for recording.
    package var record = RecordSettings()
    /// How origins are reached.
    package var upstream = UpstreamSettings()
    /// When the pieces of bodies go out that came piece by piece, where a cassette does not say.
    package var streams: StreamPace?
    /// Options of the command line, in the order of the file: those of `deck:`, which nobody has checked yet, and what
    /// stands in the other sections.
    package var entries: [ProjectEntry] = []

    package init(path: String? = nil) {
        self.path = path
    }
}
