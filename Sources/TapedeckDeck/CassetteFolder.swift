package import TapedeckCassettes

/// The folder of cassettes with a bare name.
package enum CassetteFolder {
    /// `folder`, else `TAPEDECK_CASSETTES`, else `cassettes`.
    package static func path(_ folder: String?) -> String {
        folder ?? ProcessEnvironment.value("TAPEDECK_CASSETTES") ?? "cassettes"
    }

    /// True if there is a file for a cassette of this name or path.
    package static func exists(_ reference: String, folder: String?) -> Bool {
        FileContents.exists(self.location(reference, folder: folder).path)
    }

    /// Returns the location of a cassette, by its name in that folder or by its path.
    package static func location(_ reference: String, folder: String?) -> CassetteLocation {
        CassetteLocation(reference, folder: self.path(folder))
    }

    /// The files of cassettes that a command is to look at.
    ///
    /// - Parameter references: cassettes by name or path, other files, and folders, for all cassettes in them and below; empty for
    ///   the folder of cassettes.
    /// - Throws: ``DeckError`` for one that is not there.
    package static func files(_ references: [String], folder: String?) throws(DeckError) -> [String] {
        guard !references.isEmpty else {
            let path = self.path(folder)
            guard FileContents.isFolder(path) else {
                let other = self.foldersNearby.first { !FileContents.cassettes(below: $0).isEmpty }
                let hint = other.map { "; there are cassettes in \($0): name it" } ?? "; name the cassettes"
                throw DeckError("there is no folder \(path)\(hint)", kind: .unusableCassette)
            }
            return FileContents.cassettes(below: path)
        }
        var files: [String] = []
        for reference in references {
            if FileContents.isFolder(reference) {
                files += FileContents.cassettes(below: reference)
            } else if FileContents.exists(reference) {
                files.append(reference)
            } else {
                let location = self.location(reference, folder: folder)
                guard FileContents.exists(location.path) else {
                    throw DeckError(CassetteError(path: location.path, CassetteStore.missing(location)))
                }
                files.append(location.path)
            }
        }
        return files
    }

    /// Folders where tests keep cassettes.
    private static var foldersNearby: [String] {
        ["tests", "test", "Tests", "spec", "testdata"].flatMap { ["\($0)/cassettes", "\($0)/fixtures"] }
    }
}
