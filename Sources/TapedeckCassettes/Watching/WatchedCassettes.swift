package import TapedeckCore

/// The cassettes of a deck as they were last read, and what is different when they are read again.
///
/// They are taken as a whole: while one of them cannot be used, none is replaced.
package struct WatchedCassettes {
    /// Body files that are looked at one by one; of further ones only their folder is.
    private static let bodyFileLimit = 1_000

    private let store: CassetteStore
    private let locations: [CassetteLocation]
    /// By location; `nil` for one that is still to be recorded.
    private var cassettes: [Cassette?]
    /// What was said last about a cassette that cannot be used; an empty text for one that is gone.
    private var problems: [String?]
    /// Everything whose signature is looked at: the cassettes, the folders of their body files, and the body files.
    private(set) var paths: [String] = []
    /// What the body files' sizes were when they were read.
    private var sizes: [String: Int] = [:]
    /// All body files as they were before they were read: a cassette says no more of one than its name and size.
    private var bodySignatures: [String: FileSignature] = [:]
    /// The folders to be told about, with the names in them that matter; `nil` is all.
    private(set) var folders: [String: Set<String>?] = [:]

    /// - Parameter cassettes: what was loaded from `locations`; one that was not there is left out.
    package init(_ locations: [CassetteLocation], store: CassetteStore, loaded cassettes: [Cassette]) {
        self.store = store
        self.locations = locations
        self.cassettes = locations.map { location in cassettes.first { $0.path == location.path } }
        self.problems = locations.map { _ in nil }
        self.findFiles([:])
    }

    // MARK: Reading again

    /// Reads them all; empty when nothing is different, or when what is wrong was said before.
    package mutating func look() -> [CassetteChange] {
        let before = FileSignature.all(Array(self.bodySignatures.keys))
        var found: [Cassette?] = []
        var problems: [String?] = []
        for (index, location) in self.locations.enumerated() {
            let (cassette, problem) = self.read(location, wasThere: self.cassettes[index] != nil)
            found.append(cassette)
            problems.append(problem)
        }
        defer { self.problems = problems }
        guard problems.allSatisfy({ $0 == nil }) else {
            return self.locations.indices.compactMap { index in
                guard let problem = problems[index], problem != self.problems[index] else { return nil }
                let path = self.locations[index].path
                return problem.isEmpty ? .missing(path: path) : .unusable(path: path, problem: problem)
            }
        }
        // After a problem it is worth saying that all is well again, even with what was there before.
        let changed = self.locations.indices.filter { index in
            self.problems[index] != nil || found[index] != self.cassettes[index]
                || Self.bodyFiles(found[index]).contains { before[$0.path] != self.bodySignatures[$0.path] }
        }
        guard !changed.isEmpty else { return [] }
        self.cassettes = found
        self.findFiles(before)
        return [.reloaded(found.compactMap { $0 }, paths: changed.map { self.locations[$0].path })]
    }

    private func read(_ location: CassetteLocation, wasThere: Bool) -> (cassette: Cassette?, problem: String?) {
        guard FileContents.exists(location.path) else { return (nil, wasThere ? "" : nil) }
        do {
            return (try self.store.load(location), nil)
        } catch {
            return (nil, "\(error)")
        }
    }

    // MARK: Files

    /// - Parameter before: the body files that were known, as they were before they were read.
    private mutating func findFiles(_ before: [String: FileSignature]) {
        let bodyFiles = self.cassettes.flatMap(Self.bodyFiles)
        let files = bodyFiles.map(\.path)
        self.bodySignatures = [:]
        for path in Set(files) { self.bodySignatures[path] = before[path] ?? FileSignature(path) }
        let bodyFolders = self.bodyFolders(files)
        self.paths = self.locations.map(\.path) + bodyFolders + files.prefix(Self.bodyFileLimit)
        let sizes = bodyFiles.prefix(Self.bodyFileLimit).map { ($0.path, $0.size) }
        self.sizes = Dictionary(sizes) { $1 }
        self.folders = [:]
        for folder in bodyFolders { self.folders[folder] = .some(nil) }
        for location in self.locations {
            let names = [FilePath.name(of: location.path), location.bodyFolderName]
            switch self.folders[location.folder] {
            case .none: self.folders[location.folder] = Set(names)
            case .some(let known?): self.folders[location.folder] = known.union(names)
            case .some(nil): break
            }
        }
    }

    private func bodyFolders(_ files: [String]) -> [String] {
        var folders = Set(files.map { FilePath.folder(of: $0) })
        for location in self.locations {
            folders.insert(FilePath.join(location.folder, location.bodyFolderName))
        }
        return folders.sorted()
    }

    private static func bodyFiles(_ cassette: Cassette?) -> [BodyFile] {
        (cassette?.responseSets ?? []).flatMap(\.variants).flatMap(\.behaviour.allTakes)
            .flatMap { take in
                [take.body, take.request?.body ?? .none].compactMap { body in
                    if case .file(let file) = body { file } else { nil }
                }
            }
    }

    /// Whether a body file is another one since it was read, or has another size than was read.
    func isOutdated(_ signatures: [String: FileSignature]) -> Bool {
        self.problems.allSatisfy { $0 == nil }
            && (self.sizes.contains { path, size in signatures[path].map { $0.size != size } ?? false }
                || self.bodySignatures.contains { path, before in signatures[path].map { $0 != before } ?? false })
    }
}
