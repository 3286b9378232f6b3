package import TapedeckCore

/// What a project file says, which holds for all cassettes of a project.
package struct ProjectSettings: Sendable, Equatable {
    /// The file; `nil` where there is none.
    package var path: String?
    /// What is a secret, over the built-in rules.
    package var redaction: RedactionSettings

    package init(path: String? = nil, redaction: RedactionSettings = RedactionSettings()) {
        self.path = path
        self.redaction = redaction
    }
}
