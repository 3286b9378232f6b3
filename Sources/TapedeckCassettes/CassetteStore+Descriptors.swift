import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// The descriptors with which a recording is written: those of the cassette, and a file beside it with those that the
/// recording noted.
struct RecordedDescriptors {
    /// The file of this recording and those before it, which the cassette is to name; `nil` for none.
    fileprivate(set) var file: DescriptorFile?
    /// All descriptors of the cassette; `nil` for none.
    fileprivate(set) var all: DescriptorSet?
    /// The previous content of the file; `nil` if there was none.
    fileprivate var previous: [UInt8]?

    /// Puts the previous file back, because the cassette was not written.
    func takeBack() {
        guard let file = self.file else { return }
        // If it fails, the cassette can be read all the same.
        if let previous = self.previous {
            try? FileContents.replace(file.path, with: previous)
        } else {
            try? FileContents.remove(file.path)
        }
    }
}

extension CassetteStore {
    /// Writes the descriptors of a recording beside its cassette, which can be read with them as before.
    ///
    /// The new types of a server take the place of its old ones, unless answers of the cassette need these. If the
    /// descriptors contradict the cassette's in every order, none are written.
    ///
    /// - Parameter existing: the cassette; `nil` if it is new.
    /// - Throws: `FileError`.
    func putDescriptors(
        of recording: RecordingJournal.Recording,
        for existing: CassetteReader.Result?,
        at location: CassetteLocation
    ) throws -> RecordedDescriptors {
        let own = existing?.cassette.descriptors ?? []
        let without = RecordedDescriptors(all: try? own.merged())
        guard let new = recording.descriptors else { return without }
        let path = location.descriptorPath
        let name = FilePath.name(of: path)
        let previous = try? FileContents.read(path)
        let old = own.first { $0.name == name }?.descriptors
        let candidates = old.map { [try? new.merging($0), try? $0.merging(new)] } ?? [new]
        for descriptors in candidates.compactMap({ $0 }) {
            let bytes = descriptors.bytes
            let file = DescriptorFile(name: name, path: path, size: bytes.count, descriptors: descriptors)
            guard let all = try? own.adding(file).merged() else { continue }
            let put = RecordedDescriptors(file: file, all: all, previous: previous)
            if bytes == previous { return put }
            try FileContents.replace(path, with: bytes)
            guard let source = existing?.document?.source else { return put }
            let read = CassetteReader.read(source, name: location.name, path: location.path)
            if !read.hasErrors { return put }
            put.takeBack()
        }
        return without
    }
}

extension CassetteLocation {
    /// The file for the descriptors that its recordings note.
    package var descriptorPath: String { "\(FilePath.withoutYAMLEnding(self.path)).descriptors.binpb" }
}

extension [DescriptorFile] {
    /// Returns this list with a file added, or in the place of the one with its name.
    func adding(_ file: DescriptorFile?) -> [DescriptorFile] {
        guard let file else { return self }
        var files = self
        if let index = files.firstIndex(of: file) { files[index] = file } else { files.append(file) }
        return files
    }
}
