/// Where a cassette and what belongs to it are.
package struct CassetteLocation: Sendable, Hashable {
    /// What the user called it.
    package let name: String
    /// The cassette file.
    package let path: String

    /// A bare name is looked up as `NAME.yaml` in `folder`; anything with a `/` in it, or with a YAML ending, is a
    /// path.
    package init(_ reference: String, folder: String) {
        let base = FilePath.withoutYAMLEnding(reference)
        if reference.contains("/") || base != reference {
            self.path = base == reference ? "\(reference).yaml" : reference
            self.name = FilePath.name(of: base)
        } else {
            self.path = FilePath.join(folder, "\(reference).yaml")
            self.name = reference
        }
    }

    /// A cassette whose file is known.
    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// The folder for body files, as the cassette names it.
    package var bodyFolderName: String { FilePath.name(of: FilePath.withoutYAMLEnding(self.path)) }

    /// The folder the cassette is in.
    package var folder: String { FilePath.folder(of: self.path) }

    /// The journal of a recording that runs, or that was cut short.
    package var journalFolder: String { "\(FilePath.withoutYAMLEnding(self.path)).journal" }
}
