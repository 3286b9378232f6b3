package import TapedeckCore

/// Files that came with a session: cassettes and their body files, which are in memory and on no disk.
///
/// Equal contents make equal files, so that sessions that are sent the same ones share what is made of them.
package struct SessionFiles: Sendable, Hashable {
    /// An error in one of them.
    package struct Problem: Error, Sendable, Equatable {
        /// The file; `nil` is all of them.
        package var path: String?
        package var message: String
    }

    /// Files of one session, at most. 10,000.
    package static let limit = 10_000
    private static let pathLimit = 1_000

    private let contents: [String: [UInt8]]
    /// Tells these files from all others.
    let digest: String
    /// The total size, in bytes.
    package let size: Int

    /// - Parameters:
    ///   - contents: by their path, such as `login.yaml` and `login/photo.png`.
    ///   - digest: collision-resistant.
    /// - Throws: ``Problem`` for a path outside of the folder.
    package init(_ contents: [String: [UInt8]], digest: Digest) throws(Problem) {
        guard contents.count <= Self.limit else {
            throw Problem(message: "a session takes at most \(Self.limit) files, and these are \(contents.count)")
        }
        var text: [UInt8] = []
        for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            guard Self.isPath(path) else {
                throw Problem(
                    path: path,
                    message:
                        "a path has 1 to \(Self.pathLimit) bytes, none of them a control character, does not begin with "
                        + "/ and has no empty part, . or .."
                )
            }
            // With their lengths, or other files could make the same text.
            text += Array("\(path.utf8.count) \(bytes.count) \(path)\n".utf8) + bytes
        }
        self.contents = contents
        self.digest = digest(text)
        self.size = text.count
    }

    /// Files that are looked up by path and never compared.
    ///
    /// - Parameter contents: by paths that were checked.
    package init(lookingUp contents: [String: [UInt8]]) {
        self.contents = contents
        self.digest = ""
        self.size = 0
    }

    private static func isPath(_ path: String) -> Bool {
        (1...self.pathLimit).contains(path.utf8.count) && !path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
            && path.split(separator: "/", omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    package static func == (left: SessionFiles, right: SessionFiles) -> Bool {
        left.digest == right.digest
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.digest)
    }

    package subscript(path: String) -> [UInt8]? { self.contents[path] }

    // MARK: Cassettes

    /// Returns the cassette of that name, with or without its extension, or `nil`.
    package func cassette(_ name: String) -> CassetteLocation? {
        let base = FilePath.withoutYAMLEnding(name)
        let paths = base == name ? ["\(name).yaml", "\(name).yml"] : [name]
        return paths.first { self.contents[$0] != nil }.map { CassetteLocation(name: base, path: $0, in: self) }
    }

    /// The cassettes that are in no folder, by name.
    package var cassettes: [CassetteLocation] {
        self.contents.filter { path, bytes in
            !path.contains("/") && FilePath.withoutYAMLEnding(path) != path && Self.isCassette(bytes)
        }
        .keys.sorted()
        .map { CassetteLocation(name: FilePath.withoutYAMLEnding($0), path: $0, in: self) }
    }

    /// Returns true if a line begins with `tapedeck:`, even if the rest is broken, so that its errors are reported.
    private static func isCassette(_ bytes: [UInt8]) -> Bool {
        let key = Array("tapedeck:".utf8)
        return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
            // A byte order mark comes before the first line.
            line.starts(with: key) || line.starts(with: [0xEF, 0xBB, 0xBF] + key)
        }
    }
}
