package import TapedeckCore

/// Identifies the content of a cassette and its body files.
package struct CassetteVersion: Sendable, Equatable {
    /// The digest of the cassette's file and its body files, by their names: independent of their folder and times.
    package var digest: String
    /// When the newest of the files was written, to the second.
    package var modified: Instant
    /// The size of all files, in bytes.
    package var size: Int
    /// The cassette's own and its body files.
    package var files: Int

    package init(digest: String, modified: Instant, size: Int, files: Int) {
        self.digest = digest
        self.modified = modified
        self.size = size
        self.files = files
    }

    /// - Parameters:
    ///   - cassette: the cassette's own file.
    ///   - bodies: its body files, by their names in it.
    init(of cassette: File, bodies: [String: File], hashing: ContentHashing) {
        var text = "\(cassette.sha256)\n"
        for (name, body) in bodies.sorted(by: { $0.key < $1.key }) { text += "\(body.sha256) \(name)\n" }
        let hash = hashing()
        Array(text.utf8).withUnsafeBytes { hash.update($0) }
        let all = [cassette] + bodies.values
        self.init(
            digest: hash.finalizeHex(),
            modified: Instant(seconds: max(0, min(all.map(\.modified).max() ?? 0, TarEntry.latest))),
            size: all.reduce(0) { $0 + $1.size },
            files: all.count
        )
    }

    /// One of the files.
    struct File: Sendable, Equatable {
        var sha256: String
        /// In bytes.
        var size: Int
        /// In seconds since 1970.
        var modified: Int64
    }
}

/// A collision-resistant hash over bytes that arrive in pieces.
package protocol ContentHash: AnyObject {
    func update(_ bytes: UnsafeRawBufferPointer)
    /// As lower-case hexadecimal digits.
    func finalizeHex() -> String
}

/// Makes the hash of no bytes yet.
package typealias ContentHashing = @Sendable () -> any ContentHash
