/// The name of a body file as a cassette has it, where the file can go along with the cassette.
struct BodyPath {
    /// Relative to the cassette's folder, in its simplest form: the same file has one name.
    let text: String
    /// True if it is in the cassette's own folder, which no other cassette uses.
    let isOwn: Bool

    /// - Parameter folder: the cassette's own folder of body files.
    /// - Throws: ``ArchiveError``.
    init(_ name: String, of folder: String) throws(ArchiveError) {
        let simple = name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        let path = try ArchivePath(simple)
        self.text = path.text
        self.isOwn = path.text.hasPrefix("\(folder)/")
        // Elsewhere it could stand for a cassette.
        let isCassette = !self.isOwn && FilePath.withoutYAMLEnding(path.text) != path.text
        guard !path.isApart, !isCassette else {
            throw ArchiveError(
                "the body file \(name) cannot be in an archive: it is hidden, or YAML outside of \(folder)/; put it into "
                    + "\(folder)/ under another name"
            )
        }
    }
}
