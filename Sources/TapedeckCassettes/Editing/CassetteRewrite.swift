import TapedeckCore
import TapedeckPlatform
import TapedeckYAML

/// New texts of cassettes that were worked out and are not written yet. Writing them is all or nothing: where one cannot
/// be written, those before it get their old text back.
package struct CassetteRewrite {
    /// A cassette with its old and its new text.
    package struct File {
        package let location: CassetteLocation
        /// `nil` for a new cassette.
        package let old: [UInt8]?
        /// `nil` for a cassette that goes.
        package let new: [UInt8]?
        let oldBodies: [BodyFile]
        let newBodies: [BodyFile]
    }

    /// A body file that is copied for another cassette.
    struct Copy {
        var source: BodyFile
        var name: String
        var location: CassetteLocation
    }

    /// Those whose text changes, in the order in which they are written.
    package private(set) var files: [File] = []
    /// Warnings about the new texts that the old ones did not have.
    package private(set) var warnings: [Diagnostic] = []
    private var copies: [Copy] = []

    package init() {}

    package var isEmpty: Bool { self.files.isEmpty }

    /// - Parameters:
    ///   - old: as it was read; `nil` for a new cassette.
    ///   - new: `nil` for a cassette that goes.
    mutating func add(
        _ location: CassetteLocation,
        from old: CassetteReader.Result?,
        to new: CassetteReader.Result?,
        copying copies: [Copy] = []
    ) {
        guard old?.document?.source != new?.document?.source else { return }
        self.files.append(
            File(
                location: location,
                old: old?.document?.source,
                new: new?.document?.source,
                oldBodies: old?.cassette.bodyFiles ?? [],
                newBodies: new?.cassette.bodyFiles ?? []
            )
        )
        let known = Set(old?.diagnostics.map(\.message) ?? [])
        self.warnings += new?.diagnostics.filter { $0.severity != .error && !known.contains($0.message) } ?? []
        self.copies += copies
    }

    /// Writes the texts, and removes body files that no text names any more.
    ///
    /// - Parameter progress: counts body files and cassettes.
    /// - Throws: ``CassetteError`` if a cassette is being recorded, or has changed since it was read; `FileError` if
    ///   one cannot be written. All are unchanged then.
    package func write(with store: CassetteStore, progress: WorkProgress? = nil) throws {
        progress?.begin(self.copies.count + self.files.count)
        var locks: [(lock: RecordingJournal, location: CassetteLocation)] = []
        // A lock removes the body files that its list has and its cassette does not name.
        defer { for (lock, location) in locks.reversed() { store.unlock(lock, of: location) } }
        for file in self.files {
            try store.checkNothingIsRecorded(file.location)
            try FileContents.makeFolder(file.location.folder)
            locks.append((try store.lock(file.location), file.location))
            try store.checkUnchanged(file.location, since: file.old)
        }
        var written: [File] = []
        do {
            // New files are on the disk before an existing one changes.
            let bodies = try self.copyBodies(progress)
            let new = self.files.filter { $0.old == nil }
            let disk = try self.files.first.map { file in
                try FileDescriptor(file.location.folder, O_RDONLY | O_DIRECTORY, action: "write")
            }
            for file in new {
                written.append(file)
                try FileContents.replace(file.location.path, with: file.new ?? [], waitsForDisk: false)
                progress?.step()
            }
            let paths = bodies + new.map(\.location.path)
            if let disk { try DiskWait.wait(for: Set(paths + paths.map { FilePath.folder(of: $0) }), with: disk) }
            for file in self.files where file.old != nil {
                let ledger = try BodyLedger(file.location)
                let named = Set(file.newBodies.map(\.name))
                for body in file.oldBodies where !named.contains(body.name) { try ledger.note(body.name) }
                written.append(file)
                if let new = file.new {
                    try FileContents.replace(file.location.path, with: new)
                } else {
                    try FileContents.remove(file.location.path)
                }
                progress?.step()
            }
        } catch {
            for file in written {
                if let old = file.old {
                    try? FileContents.replace(file.location.path, with: old)
                } else {
                    try? FileContents.remove(file.location.path)
                }
            }
            throw error
        }
    }

    /// - Throws: ``CassetteError`` if two body files would get one name.
    static func check(_ copies: [Copy]) throws {
        var sources: [String: String] = [:]
        for copy in copies {
            let place = FilePath.join(copy.location.folder, copy.name)
            guard let other = sources.updateValue(copy.source.path, forKey: place), other != copy.source.path,
                try FileContents.read(other) != FileContents.read(copy.source.path)
            else { continue }
            let message = "\(other) and \(copy.source.path) would both be this file; rename one of the two by hand"
            throw CassetteError(path: place, message)
        }
    }

    /// Copies body files next to their new cassettes. Returns the paths of those that were not there.
    private func copyBodies(_ progress: WorkProgress?) throws -> [String] {
        var paths: [String] = []
        var ledger: (location: CassetteLocation, ledger: BodyLedger)?
        // Those of a cassette come one after the other.
        for copy in self.copies {
            defer { progress?.step() }
            let place = FilePath.join(copy.location.folder, copy.name)
            let content = try FileContents.read(copy.source.path)
            if FileContents.exists(place) {
                guard try FileContents.read(place) == content else {
                    throw CassetteError(path: place, "another body file has this name; rename one of the two by hand")
                }
                continue
            }
            if ledger?.location.path != copy.location.path {
                ledger = (copy.location, try BodyLedger(copy.location))
            }
            try ledger?.ledger.note(copy.name)
            try FileContents.makeFolder(FilePath.folder(of: place))
            try FileContents.replace(place, with: content, waitsForDisk: false)
            paths.append(place)
        }
        return paths
    }
}

extension CassetteStore {
    /// Reads a cassette for editing.
    ///
    /// - Throws: ``CassetteError`` if it is missing, has errors, or is being recorded.
    package func edited(_ location: CassetteLocation) throws -> EditedText {
        // Says what to do about a missing cassette.
        _ = try self.load(location)
        try self.checkNothingIsRecorded(location)
        guard !location.isInMemory, let result = try self.existing(location) else {
            throw CassetteError(path: location.path, "the cassette came with a session and cannot be edited")
        }
        return EditedText(result)
    }

    /// Works out the new text of a cassette after edits, in their order.
    ///
    /// - Throws: ``CassetteEdit/Invalid`` for names that do not fit the cassette, ``CassetteError`` if it cannot be edited.
    package func change(_ location: CassetteLocation, by edits: [CassetteEdit]) throws -> CassetteRewrite {
        let old = try self.edited(location)
        var new = old
        do {
            for edit in edits { try new.make(edit) }
        } catch let error as CassetteEdit.Invalid {
            throw CassetteEdit.Invalid("\(location.path): \(error)")
        }
        var rewrite = CassetteRewrite()
        rewrite.add(location, from: old.result, to: new.result)
        return rewrite
    }

    /// Removes what an edit has left that was stopped while it wrote.
    ///
    /// - Throws: ``CassetteError`` if the cassette is being recorded, or has an interrupted recording.
    package func checkNothingIsRecorded(_ location: CassetteLocation) throws {
        guard FileContents.exists(location.journalFolder) else { return }
        let hasNone = try RecordingJournal.folders(in: location.journalFolder).allSatisfy { folder in
            try RecordingJournal.recording(in: folder).map { $0.records.count == 0 } ?? true
                || ExchangeIntake.isRepeatable(folder)
        }
        if hasNone, !RecordingJournal.isInUse(folder: location.journalFolder) {
            _ = try self.recover(location)
            guard FileContents.exists(location.journalFolder) else { return }
        }
        throw CassetteError(
            path: location.path,
            "a recording of it runs, or was interrupted: stop it, or take it up with `tapedeck replay`, first"
        )
    }
}
