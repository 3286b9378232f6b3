package import TapedeckCore
import TapedeckPlatform

/// The place of a project's settings.
package enum ProjectFile: Sendable, Equatable {
    /// There are none.
    case none
    /// `tapedeck.yaml` in the working directory, or in the nearest folder above it that has one; none if there is none.
    case nearest
    /// This file, which must be there.
    case file(String)

    package static let name = "tapedeck.yaml"

    /// Reads the settings. Reads files.
    ///
    /// - Throws: ``CassetteError`` with every mistake in the file, or when the file that was named is not there.
    package func load() throws(CassetteError) -> ProjectSettings {
        let path: String
        switch self {
        case .none: return ProjectSettings()
        case .nearest:
            guard let found = Self.nearest(to: Self.workingDirectory) else { return ProjectSettings() }
            path = found
        case .file(let named): path = named
        }
        let source: [UInt8]
        do {
            source = try FileContents.read(path)
        } catch let error as FileError where error.isMissing {
            throw CassetteError(path: path, "there is no such project file; name another with --project")
        } catch {
            throw CassetteError(path: path, "\(error)")
        }
        return try ProjectReader.read(source, path: path)
    }

    /// A file above the folder counts only where it belongs to the owner of the folder, to this user or to root: a folder
    /// such as `/tmp` is everybody's, and the file says where traffic goes.
    ///
    /// - Parameter folder: an absolute path, or a relative one, above which nothing is looked up.
    static func nearest(to folder: String) -> String? {
        let start = folder
        let trusted = [Self.owner(of: start), getuid(), 0]
        var folder = start
        while true {
            let path = FilePath.join(folder, Self.name)
            if FileContents.exists(path), folder == start || trusted.contains(Self.owner(of: path)) { return path }
            let parent = FilePath.folder(of: folder)
            guard folder.hasPrefix("/"), folder != "/", parent != folder else { return nil }
            folder = parent
        }
    }

    private static func owner(of path: String) -> uid_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_uid : nil
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}

/// The settings of a project file, for all cassettes of a project.
package struct ProjectSettings: Sendable, Equatable {
    /// The path of the file, or `nil`.
    package var path: String?
    /// The rules for secrets, over the built-in ones.
    package var redaction = RedactionSettings()
    /// The rules for recording.
    package var record = RecordSettings()
    /// The way to origins.
    package var upstream = UpstreamSettings()
    /// The times at which recorded pieces of bodies are sent, for cassettes without this setting.
    package var streams: StreamPace?
    /// The descriptors of calls, for recordings into cassettes that have none for them.
    package var descriptors: [DescriptorFile] = []
    /// Options of the command line, in the order of the file: those of `deck:`, not yet checked, and those of the other
    /// sections.
    package var entries: [ProjectEntry] = []

    package init(path: String? = nil) {
        self.path = path
    }
}
