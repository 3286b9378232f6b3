package import TapedeckCore

/// The files of a cassette as they were before they were read, as far as that is known: the file itself, its body
/// files, and their folders.
struct CassetteFiles: Sendable {
    /// Body files that are looked at one by one; of further ones only their folder is.
    private static let bodyFileLimit = 1_000

    let location: CassetteLocation
    /// Everything whose signature is looked at: the cassette, the folders of its body files, and the body files.
    let paths: [String]
    /// The signatures of `paths`; of those that are not there, none.
    private var signatures: [String: FileSignature] = [:]
    /// The body files' sizes when they were read.
    private let sizes: [String: Int]
    /// The signatures of all body files: a cassette has only their names and sizes.
    private let bodies: [String: FileSignature]
    /// True if one of them may have changed since without a visible difference.
    let isUncertain: Bool
    /// The folders to watch, with the relevant names in them; `nil` means all.
    let folders: [String: Set<String>?]

    /// - Parameters:
    ///   - cassette: what was read; `nil` when there was nothing to read.
    ///   - before: the signatures of files that were known before they were read.
    init(_ location: CassetteLocation, of cassette: Cassette?, before: [String: FileSignature?]) {
        self.location = location
        guard !location.isInMemory else {
            // There is nothing to watch, and nothing will ever change.
            self.paths = []
            self.sizes = [:]
            self.bodies = [:]
            self.folders = [:]
            self.isUncertain = false
            return
        }
        let bodyFiles = cassette?.bodyFiles ?? []
        func signature(_ path: String) -> FileSignature? { before[path] ?? FileSignature(path) }
        var bodies: [String: FileSignature] = [:]
        for file in bodyFiles where bodies[file.path] == nil { bodies[file.path] = signature(file.path) }
        self.bodies = bodies
        var bodyFolders = Set(bodyFiles.map { FilePath.folder(of: $0.path) })
        bodyFolders.insert(FilePath.join(location.folder, location.bodyFolderName))
        let watched = bodyFiles.prefix(Self.bodyFileLimit)
        self.paths = [location.path] + bodyFolders.sorted() + watched.map(\.path)
        self.sizes = Dictionary(watched.map { ($0.path, $0.size) }) { $1 }
        var folders: [String: Set<String>?] = [:]
        for folder in bodyFolders { folders[folder] = .some(nil) }
        if folders[location.folder] == nil {
            folders[location.folder] = [FilePath.name(of: location.path), location.bodyFolderName]
        }
        self.folders = folders
        var signatures: [String: FileSignature] = [:]
        for path in self.paths { signatures[path] = signature(path) }
        self.signatures = signatures
        self.isUncertain = signatures.values.contains(where: \.isRecent)
    }

    /// The signatures as they are now, of all that is known of the cassette.
    func now() -> [String: FileSignature?] {
        var signatures: [String: FileSignature?] = [:]
        for path in self.paths + self.bodies.keys where signatures[path] == nil {
            signatures.updateValue(FileSignature(path), forKey: path)
        }
        return signatures
    }

    /// Notes the signatures of files that were read but could not be used.
    mutating func look(_ signatures: [String: FileSignature?]) {
        for path in self.paths { self.signatures[path] = signatures[path] ?? nil }
    }

    /// Returns true if any file has changed since the last check.
    func areOutdated(hasProblem: Bool) -> Bool {
        let now = FileSignature.all(self.paths)
        if now != self.signatures { return true }
        // A body file may have changed between its cassette's reading and its first signature.
        return !hasProblem && self.sizes.contains { path, size in now[path].map { $0.size != size } ?? false }
    }

    /// Returns true if any of these body files had another signature when it was read.
    func differ(from signatures: [String: FileSignature?], in bodyFiles: [BodyFile]) -> Bool {
        bodyFiles.contains { (signatures[$0.path] ?? nil) != self.bodies[$0.path] }
    }
}

extension Cassette {
    /// The files that it names: the body files of all takes, some perhaps several times, and those with descriptors.
    package var bodyFiles: [BodyFile] {
        let descriptors = self.descriptors.filter { !$0.path.isEmpty }.map { file in
            BodyFile(name: file.name, path: file.path, size: file.size)
        }
        return descriptors + self.bodiesInFiles
    }

    private var bodiesInFiles: [BodyFile] {
        self.responseSets.lazy.flatMap(\.variants).flatMap(\.behaviour.allTakes).flatMap { take in
            take.body.files + (take.request?.body.files ?? [])
        }
    }
}

/// A cassette as it was last read.
struct LoadedCassette: Sendable {
    let location: CassetteLocation
    /// `nil` for one that is still to be recorded.
    var cassette: Cassette?
    /// Another one each time that what is played is different.
    var version: Int
    var files: CassetteFiles
    /// The error in its file, which is then newer than ``cassette``.
    var problem: String?
}

/// The effect of a change to the files of a cassette that is being played.
package enum CassetteChange: Sendable, Equatable {
    /// Cassettes were read again: those that are another than before, or that can be used again.
    case reloaded(paths: [String])
    /// A cassette cannot be used as it is now; `problem` says why, with line and column. The old one stays.
    case unusable(path: String, problem: String)
    /// A cassette that was there is gone. The old one stays.
    case missing(path: String)
}
