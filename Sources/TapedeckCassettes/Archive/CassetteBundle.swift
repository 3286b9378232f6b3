import TapedeckCore

/// A cassette on disk with its body files, all of one state: what is named by it was there at one moment.
package struct CassetteBundle: Sendable {
    /// A body file.
    struct Body: Sendable {
        /// As the cassette has it, in its simplest form.
        var name: String
        var path: String
        var signature: FileSignature
    }

    package let location: CassetteLocation
    /// The text of the cassette's own file.
    let source: [UInt8]
    let signature: FileSignature
    /// Sorted by name, each once.
    let bodies: [Body]
    /// Its errors, without warnings.
    package let problems: [Diagnostic]

    /// Has those who write a cassette's files here, and those who read all of them, wait for each other.
    static let turns = Turns()
    /// So often a cassette that changes while it is read is read again.
    private static let attempts = 20

    /// Reads the cassette's own file and checks the others.
    ///
    /// - Throws: `FileError`; ``ArchiveError`` for a cassette that changes all the time, or has a body file that cannot
    ///   be in an archive.
    package init(_ location: CassetteLocation) throws {
        self = try Self.turns.take(location.path) { try Self(inTurn: location) }
    }

    /// Creates the bundle for a caller that has the cassette's turn.
    init(inTurn location: CassetteLocation) throws {
        for _ in 0..<Self.attempts {
            guard let before = FileSignature(location.path) else { throw FileError("read", location.path) }
            let source = try FileContents.read(location.path)
            let result = CassetteReader.read(source, name: location.name, path: location.path)
            let bodies = try Self.bodies(of: result.cassette, in: location)
            // Body files come before the cassette that names them, and go after it.
            guard let bodies, FileSignature(location.path) == before else { continue }
            self.location = location
            self.source = source
            self.signature = before
            self.bodies = bodies
            self.problems = result.diagnostics.filter { $0.severity == .error }
            return
        }
        throw ArchiveError.changing(location.name)
    }

    /// `nil` if one has disappeared meanwhile.
    private static func bodies(of cassette: Cassette, in location: CassetteLocation) throws -> [Body]? {
        var bodies: [String: Body] = [:]
        for file in cassette.bodyFiles {
            let name = try BodyPath(file.name, of: location.bodyFolderName).text
            guard bodies[name] == nil else { continue }
            guard let signature = FileSignature(file.path) else { return nil }
            bodies[name] = Body(name: name, path: file.path, signature: signature)
        }
        return bodies.values.sorted { $0.name < $1.name }
    }

    // MARK: Versions

    /// Returns the version of the contents. Reads every file.
    ///
    /// - Throws: `FileError`, ``ArchiveError`` when a file changed since.
    package func version(hashing: ContentHashing) throws -> CassetteVersion {
        try self.contents(hashing: hashing).version
    }

    /// Returns the version of the contents, and of each body file.
    func contents(hashing: ContentHashing) throws -> (version: CassetteVersion, bodies: [String: CassetteVersion.File])
    {
        let hash = hashing()
        self.source.withUnsafeBytes { hash.update($0) }
        let own = CassetteVersion.File(
            sha256: hash.finalizeHex(),
            size: self.source.count,
            modified: self.signature.modified
        )
        var bodies: [String: CassetteVersion.File] = [:]
        for body in self.bodies {
            let file = try SignedFile(body.path, body.signature, of: self.location.name)
            while let piece = try file.read() { piece.withUnsafeBytes { hash.update($0) } }
            bodies[body.name] = CassetteVersion.File(
                sha256: hash.finalizeHex(),
                size: body.signature.size,
                modified: body.signature.modified
            )
        }
        return (CassetteVersion(of: own, bodies: bodies, hashing: hashing), bodies)
    }
}

extension ArchiveError {
    static func changing(_ name: String) -> ArchiveError {
        ArchiveError("\(name) changed while it was being read; ask again", kind: .changed)
    }
}
