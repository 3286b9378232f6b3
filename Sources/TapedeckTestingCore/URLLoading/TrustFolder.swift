import Foundation
import TapedeckControlAPI
import TapedeckLocking

/// Certificate files for child processes, in their own temporary folder. Written on first use, removed with
/// ``remove()`` or with this value.
package final class TrustFolder: Sendable {
    /// Paths of the two kinds of file that variables name.
    package struct Files: Sendable {
        /// The deck's authority alone.
        package var authority: String
        /// The roots that programs would have without it, and the deck's.
        package var bundle: String
    }

    private let certificate: String
    private let folder = Locked<URL?>(nil)

    /// - Parameter certificate: of the deck's authority, as PEM.
    package init(certificate: String) {
        self.certificate = certificate
    }

    deinit {
        self.remove()
    }

    /// The files, written now if they are not there.
    ///
    /// - Throws: what the file system says.
    package func files(inheriting inherited: [String: String]) throws -> Files {
        let pem = Data(self.certificate.utf8)
        return try self.folder.withLock { folder in
            let path: URL
            if let known = folder {
                path = known
            } else {
                path = FileManager.default.temporaryDirectory.appending(path: "tapedeck-trust-\(UUID().uuidString)")
                try FileManager.default.createDirectory(
                    at: path,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
                try pem.write(to: path.appending(path: "authority.pem"))
                try (Self.roots(inheriting: inherited) + pem).write(to: path.appending(path: "bundle.pem"))
                folder = path
            }
            return Files(
                authority: path.appending(path: "authority.pem").path,
                bundle: path.appending(path: "bundle.pem").path
            )
        }
    }

    /// Removes what was written.
    package func remove() {
        let path = self.folder.withLock { folder in
            defer { folder = nil }
            return folder
        }
        if let path { try? FileManager.default.removeItem(at: path) }
    }

    private static func roots(inheriting inherited: [String: String]) -> Data {
        for path in ClientVariables.bundles(inheriting: inherited) {
            guard var roots = FileManager.default.contents(atPath: path) else { continue }
            if roots.last != 0x0A { roots.append(0x0A) }
            return roots
        }
        return Data()
    }
}
