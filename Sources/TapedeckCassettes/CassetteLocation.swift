/// The places of a cassette and its files.
package struct CassetteLocation: Sendable, Hashable {
    /// The user's name for it.
    package let name: String
    /// The cassette file. Of a cassette that came with a session a text that no other cassette has, and no place on a
    /// disk.
    package let path: String
    /// The files that it is one of, if it came with a session.
    package let files: SessionFiles?
    /// The path of the file in messages.
    let shownPath: String

    /// A bare name is looked up as `NAME.yaml` in `folder`; anything with a `/` in it, or with a YAML ending, is a
    /// path.
    package init(_ reference: String, folder: String) {
        let base = FilePath.withoutYAMLEnding(reference)
        if reference.contains("/") || base != reference {
            self.init(name: FilePath.name(of: base), path: base == reference ? "\(reference).yaml" : reference)
        } else {
            self.init(name: reference, path: FilePath.join(folder, "\(reference).yaml"))
        }
    }

    /// The cassette at an absolute path. Without an ending it is that of the two that is there, and `.yaml` at first.
    init(path: String) {
        let base = FilePath.withoutYAMLEnding(path)
        let isYML = base == path && !FileContents.exists("\(base).yaml") && FileContents.exists("\(base).yml")
        self.init(name: FilePath.name(of: base), path: base != path ? path : isYML ? "\(base).yml" : "\(base).yaml")
    }

    /// A cassette whose file is known.
    init(name: String, path: String) {
        self.name = name
        self.path = path
        self.shownPath = path
        self.files = nil
    }

    /// A cassette that came with a session.
    init(name: String, path: String, in files: SessionFiles) {
        self.name = name
        self.path = "session:\(files.digest)/\(path)"
        self.shownPath = path
        self.files = files
    }

    /// True if it came with a session and is on no disk: it can be played, but not recorded into.
    package var isInMemory: Bool { self.files != nil }

    /// The folder for body files, as the cassette names it.
    package var bodyFolderName: String { FilePath.name(of: FilePath.withoutYAMLEnding(self.path)) }

    /// The folder the cassette is in.
    package var folder: String { FilePath.folder(of: self.path) }

    /// The journal of a recording that runs, or that was cut short. Those of others that run at the same time are in
    /// numbered folders inside; see ``RecordingJournal/start(at:purpose:variant:answersAnyBody:)``.
    package var journalFolder: String { "\(FilePath.withoutYAMLEnding(self.path)).journal" }

    /// The folder next to the cassette in which a refresh keeps the live answers, so that large bodies can be moved to
    /// their places.
    package var refreshFolder: String { FilePath.join(self.folder, ".\(self.bodyFolderName).refresh") }

    /// The cassette that a refresh records the live answers into.
    package var refreshedPath: String { FilePath.join(self.refreshFolder, "asked.yaml") }
}
