import TapedeckCassettes
import TapedeckTLS

/// The trust store for Java, kept beside the authority, because parsing the certificates of a system takes longer than the
/// rest of a short run.
enum KeptTrustStore {
    private static let prefix = "java-"
    private static let ending = ".p12"
    private static let digestCount = 32

    /// Returns the trust store for a bundle.
    ///
    /// The file is the store, followed by its SHA-256, as a power cut may leave a part. Without a folder that can be written,
    /// the store is made each time.
    ///
    /// - Parameters:
    ///   - bundle: certificates in PEM.
    ///   - folder: the place for kept stores, or `nil`.
    /// - Throws: `TLSError` if a certificate is broken.
    static func bytes(for bundle: [UInt8], in folder: String?) throws -> [UInt8] {
        let name = Self.prefix + SHA256.hex(Self.digest(bundle).prefix(16)) + Self.ending
        let place = folder.map { FilePath.join($0, name) }
        if let place, let kept = try? FileContents.read(place), kept.count > Self.digestCount {
            let end = kept.count - Self.digestCount
            let store = Array(kept[..<end])
            if Self.digest(store).elementsEqual(kept[end...]) { return store }
        }
        let store = try JavaTrustStore.encode(pem: bundle)
        if let folder, let place { Self.keep(store + Self.digest(store), at: place, in: folder) }
        return store
    }

    private static func keep(_ bytes: [UInt8], at place: String, in folder: String) {
        // Best effort: the store is made anew where it cannot be kept.
        try? FileContents.makeFolder(folder, mode: 0o700)
        for name in FileContents.names(in: folder) where name.hasPrefix(Self.prefix) && name.hasSuffix(Self.ending) {
            try? FileContents.remove(FilePath.join(folder, name))
        }
        try? FileContents.replace(place, with: bytes, waitsForDisk: false)
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        let hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }
}
