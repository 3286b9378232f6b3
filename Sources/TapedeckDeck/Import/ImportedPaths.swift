import TapedeckCassettes
import TapedeckImport

/// The paths of the cassettes that imported files go into: names that sessions accept, one for each file or folder.
struct ImportedPaths {
    /// The most bytes of a part of a name: a number, the ending and the name of a journal come behind it.
    private static let partLimit = 180

    private let out: String
    /// The file, or the folder of files, of each path in small letters: on some machines `A.yaml` and `a.yaml` are one file.
    private var owners: [String: String] = [:]

    /// - Parameter out: a folder, or a `.yaml` file for all.
    init(out: String) {
        self.out = out
    }

    /// Returns the path of the cassette that a file goes into.
    ///
    /// - Parameter group: the folder whose files go into one cassette; `nil` for a file of its own.
    mutating func path(for source: ImportSources.Source, group: String?) -> String {
        if FilePath.withoutYAMLEnding(self.out) != self.out { return self.out }
        let owner = group.map { "\($0)/" } ?? source.path
        let parts = Self.parts(of: source, group: group).map { CassetteName.nearest(to: $0, limit: Self.partLimit) }
        let base = FilePath.join(self.out, parts.joined(separator: "/"))
        var number = 1
        while true {
            let path = number == 1 ? "\(base).yaml" : "\(base)-\(number).yaml"
            // Two files of one name and another ending, and two folders of one name, are two cassettes.
            guard let known = self.owners[path.lowercased()] else {
                self.owners[path.lowercased()] = owner
                return path
            }
            if known == owner { return path }
            number += 1
        }
    }

    /// The folders below the one that was named, and the name.
    private static func parts(of source: ImportSources.Source, group: String?) -> [String] {
        guard let group else {
            let folders = source.relative.map { FilePath.folder(of: $0) } ?? ""
            return folders.split(separator: "/").filter { $0 != "." }.map(String.init) + [
                ImportFile.stem(of: source.path)
            ]
        }
        // Of the folder that was named only what is below it counts, unless it is the group itself.
        let path = source.path.split(separator: "/")
        let below = source.relative.map { $0.split(separator: "/").count } ?? 1
        let root = path.count - below
        let own = group.split(separator: "/")
        guard own.count > root else { return [own.last.map(String.init) ?? "mappings"] }
        return own[root...].map(String.init)
    }
}
