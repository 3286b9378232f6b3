import TapedeckCore
import TapedeckPlatform

/// Installs the cassettes of an archive, each whole or not at all: its body files first, then its own file; then body
/// files that it no longer names are removed. No work is lost: the existing version must be the one that the sender
/// saw.
package struct ArchiveInstaller: Sendable {
    /// The result for a cassette.
    package enum Outcome: Sendable, Equatable {
        case created
        case replaced
        /// It was there already.
        case unchanged
        case refused(Refusal)
    }

    /// The reason why a cassette was not installed.
    package enum Refusal: Sendable, Equatable {
        /// There is something else there than the sender saw.
        case changed
        /// A recording of it runs.
        case recording
        /// It cannot be played; one line for each mistake.
        case unsound([String])
        /// It collides with another, or cannot be stored there, with the reason.
        case misplaced(String)
        /// Its place cannot be written.
        case notWritable(String)
    }

    private let folder: ArchiveFolder
    private let store: CassetteStore
    private let hashing: ContentHashing
    private var spellings = ArchiveSpellings()
    /// Folders in which something has changed.
    private var changed: Set<String> = []

    package init(into folder: ArchiveFolder, store: CassetteStore, hashing: @escaping ContentHashing) {
        self.folder = folder
        self.store = store
        self.hashing = hashing
    }

    /// - Parameter overwrites: true to replace any version, if the sender does not name the one that it saw.
    /// - Throws: `FileError` if the disk is full; nothing of this cassette has changed then.
    package mutating func install(_ cassette: ArchiveContents.Cassette, overwrites: Bool = false) throws -> Outcome {
        guard cassette.problems.isEmpty else { return .refused(.unsound(cassette.problems)) }
        let location: CassetteLocation
        do throws(CassetteError) {
            location = try self.folder.location(named: cassette.name)
        } catch {
            return .refused(.misplaced(error.diagnostics.first?.message ?? ""))
        }
        if let other = self.spellings.other(of: location, in: self.folder.path) {
            return .refused(
                .misplaced("\(other) is there already, and is the same file on some machines; rename one of them")
            )
        }
        let outcome = try CassetteBundle.turns.take(location.path) { [self] in
            do {
                return try self.installInTurn(cassette, location, overwrites)
            } catch let error as FileError where error.isForbidden {
                return .refused(.notWritable("\(error)"))
            } catch let error as ArchiveError {
                return .refused(error.kind == .changed ? .changed : .misplaced(error.description))
            } catch let error as CassetteError {
                let messages = error.diagnostics.map(\.message).joined(separator: "; ")
                return .refused(.misplaced("what an interrupted recording left cannot be taken up: \(messages)"))
            }
        }
        if outcome == .created || outcome == .replaced {
            self.spellings.add(location, in: self.folder.path)
            let bodies = cassette.bodies.keys.map { FilePath.folder(of: FilePath.join(location.folder, $0)) }
            self.changed.formUnion(bodies + [location.folder])
        }
        return outcome
    }

    /// Waits until not even a power cut can undo what was installed.
    ///
    /// - Throws: `FileError`.
    package mutating func settle() throws {
        guard !self.changed.isEmpty else { return }
        let root = try FileDescriptor(self.folder.path, O_RDONLY | O_DIRECTORY, action: "write")
        // A folder that was removed meanwhile needs no synchronisation.
        try DiskWait.wait(for: self.changed.filter(FileContents.isFolder), with: root)
        self.changed = []
    }

    private func installInTurn(
        _ cassette: ArchiveContents.Cassette,
        _ location: CassetteLocation,
        _ overwrites: Bool
    ) throws -> Outcome {
        // An equal version needs no writing, so it is accepted during a recording, or in a read-only folder.
        if try self.present(location)?.version.digest == cassette.version.digest { return .unchanged }
        guard let claim = try self.claim(location) else { return .refused(.recording) }
        defer { FileContents.removeFolder(claim.folder) }
        let present = try self.present(location)
        if present?.version.digest == cassette.version.digest { return .unchanged }
        guard Self.holds(cassette.precondition, present?.version.digest, overwrites) else { return .refused(.changed) }
        var moves = ArchiveMoves(stage: cassette.file.place)
        do {
            for (name, body) in cassette.bodies.sorted(by: { $0.key < $1.key }) {
                let place = FilePath.join(location.folder, name)
                guard present?.bodies[name]?.sha256 != body.content.sha256 else { continue }
                guard CassetteName.isWithin(self.folder.path, place) else {
                    throw Misplaced("a link leads from \(name) out of the folder of cassettes")
                }
                if !cassette.ownBodies.contains(name), FileContents.exists(place), try !self.isSame(place, body) {
                    throw Misplaced(
                        "its body file \(name) is not in its own folder \(location.bodyFolderName)/ and is another one there, "
                            + "which other cassettes may use; move it into \(location.bodyFolderName)/"
                    )
                }
                try moves.move(body.place, to: place)
            }
            try moves.move(cassette.file.place, to: location.path)
        } catch {
            moves.undo()
            if let error = error as? Misplaced { return .refused(.misplaced(error.reason)) }
            throw error
        }
        // Installed. Failing to delete old bodies is harmless.
        for name in (present?.bodies ?? [:]).keys where cassette.bodies[name] == nil {
            guard name.hasPrefix("\(location.bodyFolderName)/") else { continue }
            try? FileContents.remove(FilePath.join(location.folder, name))
        }
        return present == nil ? .created : .replaced
    }

    private struct Misplaced: Error {
        var reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    // MARK: What is there

    private func present(
        _ location: CassetteLocation
    ) throws -> (version: CassetteVersion, bodies: [String: CassetteVersion.File])? {
        guard FileContents.exists(location.path) else { return nil }
        return try CassetteBundle(inTurn: location).contents(hashing: self.hashing)
    }

    private static func holds(_ precondition: Precondition, _ present: String?, _ overwrites: Bool) -> Bool {
        switch precondition {
        case .absent: present == nil || overwrites
        case .digest(let digest): present == digest
        case .anything: true
        }
    }

    /// Locks the cassette against recordings, as recordings lock each other; `nil` while one runs. An interrupted
    /// recording is saved first, because it would be lost otherwise.
    private func claim(_ location: CassetteLocation) throws -> RecordingJournal? {
        if RecordingJournal.isInUse(folder: location.journalFolder) { return nil }
        _ = try self.store.recover(location)
        do {
            return try self.store.lock(location)
        } catch is CassetteError {
            return nil
        }
    }

    private func isSame(_ path: String, _ body: ArchiveStage.File) throws -> Bool {
        guard let signature = FileSignature(path), signature.size == body.content.size else { return false }
        let file = try SignedFile(path, signature, of: FilePath.name(of: path))
        let hash = self.hashing()
        while let piece = try file.read() { piece.withUnsafeBytes { hash.update($0) } }
        return hash.finalizeHex() == body.content.sha256
    }
}
