import TapedeckCassettes
import TapedeckCore
import TapedeckSessions

extension DeckConfiguration {
    /// With what the project says, where neither an option nor the environment says otherwise.
    func over(_ project: ProjectSettings) -> DeckConfiguration {
        var configuration = self
        configuration.record = self.record.over(project.record)
        configuration.upstream = self.upstream.over(project.upstream)
        configuration.projectStreams = project.streams
        return configuration
    }

    /// The environment with the values that tell which machine it is: a shell does not export HOSTNAME, and PWD may be a way through a link.
    var ownEnvironment: [String: String] {
        self.environment.merging(self.rules.surroundings.machineVariables) { $1 }
    }

    /// Returns the project's and the command line's rules for secrets.
    func redaction(_ project: ProjectSettings) -> RedactionOptions {
        var options = RedactionOptions()
        options.project = project.redaction
        options.environment = self.ownEnvironment
        options.surroundings = self.rules.surroundings
        options.matchedBodyLimit = self.limits.matchedBody
        options.bodyLimit = self.scanLimit
        options.allowsUnscanned = self.allowsUnscanned
        return options
    }
}

extension DeckConfiguration {
    /// Reads the settings of a project from a file, from the nearest one, or from none.
    package mutating func readProject(named file: String?, unless hasNone: Bool) {
        self.project = hasNone ? .none : file.map(ProjectFile.file) ?? .nearest
    }

    /// A ``scanLimit`` as people write it, from 1K to 1G; `nil` for anything else.
    package static func scanLimit(_ text: String) -> Int? {
        guard let size = try? ByteSize(text), (1 << 10...1 << 30).contains(size.bytes) else { return nil }
        return size.bytes
    }
}
