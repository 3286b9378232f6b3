package import TapedeckCassettes
import TapedeckCore

/// The command-line options in a project file.
package struct ProjectOptionValues: Sendable {
    /// A setting, as it is written.
    package struct Entry: Sendable {
        fileprivate let entry: ProjectEntry

        /// Its section and its name, such as `deck.port`; a key outside of sections is its name.
        package var key: String { self.entry.key }
        /// The value, or the values of a list.
        package var values: [String] { self.entry.values }
        package var isList: Bool { self.entry.isList }
    }

    /// The path for messages: relative to the working folder, if it is below that. `nil` without a file.
    package let path: String?
    /// In the order of the file.
    package let entries: [Entry]
    private let folder: String

    /// Reads and checks the file. Reads files.
    ///
    /// - Parameters:
    ///   - file: the one that was named; `nil` is the nearest.
    ///   - hasNone: whether no file is read.
    /// - Throws: ``DeckError`` with every mistake in the file, or when the one that was named is not there.
    package static func read(file: String?, unless hasNone: Bool) throws(DeckError) -> Self {
        do {
            let project: ProjectFile = hasNone ? .none : file.map(ProjectFile.file) ?? .nearest
            let settings = try project.load()
            let path = settings.path.map(WorkingFolder.shown)
            return Self(path: path, entries: settings.entries.map(Entry.init), folder: path.map(FilePath.folder) ?? ".")
        } catch {
            throw DeckError(error)
        }
    }

    /// A project without a file.
    package static let none = Self(path: nil, entries: [], folder: ".")

    /// A path in the file, which is relative to the file's folder.
    package func besideFile(_ path: String) -> String {
        self.folder == "." ? path : FilePath.join(self.folder, path)
    }

    /// `tapedeck.yaml:4`.
    package func place(of entry: Entry) -> String {
        "\(self.path ?? ProjectFile.name):\(entry.entry.line)"
    }

    /// Returns the error for an entry, in the form of other errors in such a file.
    package func error(_ entry: Entry, _ message: String) -> DeckError {
        DeckError(entry.entry.error(message, path: self.path ?? ProjectFile.name))
    }
}

/// The word that a mistyped one may have meant.
package enum Suggestion {
    /// Returns `; did you mean WORD?`, or an empty text if no word is near.
    ///
    /// - Parameter shown: returns the form of a word for people.
    package static func hint(
        _ word: String,
        among words: some Sequence<String>,
        shown: (String) -> String = { $0 }
    ) -> String {
        Spelling.nearest(to: word, among: words).map { "; did you mean \(shown($0))?" } ?? ""
    }
}
