/// The versions that a folder of cassettes and a deck had in common at their last transfer. They show which side has
/// changed since, whatever the machines' clocks.
///
/// Stored in a hidden folder among the cassettes, which keeps itself out of a repository.
package struct SyncedVersions: Sendable, Equatable {
    static let folderName = ".tapedeck"
    private static let firstLine = "tapedeck-synced 1"

    private let folder: String
    /// The URL of the deck's control API.
    private let deck: String
    /// The digests of all decks, by deck and name.
    private var digests: [String: [String: String]]

    /// Reads what is known; what cannot be read is not known.
    package init(of folder: ArchiveFolder, deck: String) {
        self.folder = FilePath.join(folder.path, Self.folderName)
        self.deck = deck
        self.digests = [:]
        guard let text = (try? FileContents.read(self.path)).flatMap({ String(validating: $0, as: UTF8.self) }) else {
            return
        }
        let lines = text.split(separator: "\n")
        guard lines.first == Self.firstLine[...] else { return }
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3 else { continue }
            self.digests[String(words[1]), default: [:]][String(words[2])] = String(words[0])
        }
    }

    private var path: String { FilePath.join(self.folder, "synced") }

    /// The digest of what both had under a name.
    package subscript(name: String) -> String? {
        get { self.digests[self.deck]?[name] }
        set { self.digests[self.deck, default: [:]][name] = newValue }
    }

    /// - Throws: `FileError`.
    package func save() throws {
        try FileContents.makeFolder(self.folder)
        let ignore = FilePath.join(self.folder, ".gitignore")
        if !FileContents.exists(ignore) {
            try FileContents.replace(ignore, with: Array("*\n".utf8), waitsForDisk: false)
        }
        var lines = [Self.firstLine]
        for (deck, digests) in self.digests.sorted(by: { $0.key < $1.key }) {
            lines += digests.sorted { $0.key < $1.key }.map { "\($0.value) \(deck) \($0.key)" }
        }
        try FileContents.replace(self.path, with: Array((lines.joined(separator: "\n") + "\n").utf8))
    }
}
