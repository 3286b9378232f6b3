package import TapedeckCassettes
import TapedeckControlAPI
import TapedeckTLS

/// Files of the system that an isolated command sees in another form: name servers, and the roots that programs trust.
package struct IsolationFiles: Sendable {
    /// A replacement that is mounted over a file or folder of the system.
    package struct Cover: Sendable {
        package var source: String
        package var target: String
        /// True for a folder whose files are added to those of the target.
        package var addsToFolder = false
    }

    /// Sockets of caches that would answer for names from outside.
    private static let nameCaches = ["/run/nscd/socket", "/var/run/nscd/socket"]

    /// Folders in which OpenSSL looks certificates up; Qt reads such a folder and no file of roots.
    private static let hashedFolders = ["/etc/ssl/certs", "/etc/pki/ca-trust/extracted/pem/directory-hash"]

    /// In the order in which they are laid: files of a folder follow the folder.
    package let covers: [Cover]

    /// Writes the files into the folder of the certificate files, with which they are removed.
    ///
    /// - Parameters:
    ///   - trust: the certificate files, in whose folder ``ClientFiles`` has written its own.
    ///   - coversRoots: false leaves the roots of the system and of Java unchanged.
    ///   - environment: the command's, which names installations of Java.
    package init(
        trust: ClientEnvironment.TrustFiles,
        coversRoots: Bool = true,
        environment: [String: String] = [:]
    ) throws(DeckError) {
        let folder = FilePath.folder(of: trust.bundle)
        var covers: [Cover] = []
        do {
            let resolver = FilePath.join(folder, "resolv.conf")
            try FileContents.replace(resolver, with: Array("nameserver 127.0.0.1\n".utf8), waitsForDisk: false)
            covers.append(Cover(source: resolver, target: "/etc/resolv.conf"))
            if let services = try? FileContents.read("/etc/nsswitch.conf") {
                let own = FilePath.join(folder, "nsswitch.conf")
                let text = Self.resolvingByFiles(String(decoding: services, as: UTF8.self))
                try FileContents.replace(own, with: Array(text.utf8), waitsForDisk: false)
                covers.append(Cover(source: own, target: "/etc/nsswitch.conf"))
            }
            if coversRoots { covers += try Self.roots(trust, environment) }
            // Other users, too, see the covers of a command of root's.
            for cover in covers where !cover.addsToFolder { try FileContents.share(cover.source) }
        } catch {
            throw DeckError(error)
        }
        self.covers = covers + Self.nameCaches.map { Cover(source: "/dev/null", target: $0) }
    }

    private static func roots(
        _ trust: ClientEnvironment.TrustFiles,
        _ environment: [String: String]
    ) throws -> [Cover] {
        var covers: [Cover] = []
        let authority = try FileContents.read(trust.authority)
        let hash = try CertificateFolder.hash(pem: authority)
        try FileContents.makeFolder(trust.hashedFolder)
        for folder in self.hashedFolders where FileContents.isFolder(folder) {
            // The number tells certificates of one name apart; without a gap, or OpenSSL stops looking.
            let number = (0...).first { !FileContents.exists("\(folder)/\(hash).\($0)") } ?? 0
            for name in ["\(hash).\(number)", "tapedeck.pem"] {
                let path = FilePath.join(trust.hashedFolder, name)
                try FileContents.replace(path, with: authority, waitsForDisk: false)
                try FileContents.share(path)
            }
            covers.append(Cover(source: trust.hashedFolder, target: folder, addsToFolder: true))
        }
        covers += ClientVariables.systemBundles.map { Cover(source: trust.bundle, target: $0) }
        let java = FilePath.join(FilePath.folder(of: trust.bundle), ClientFiles.javaStore)
        if FileContents.exists(java) {
            covers += JavaStores.paths(environment: environment).map { Cover(source: java, target: $0) }
        }
        return covers
    }

    /// Returns the text of an `nsswitch.conf` in which names of hosts come from `/etc/hosts` and name servers alone, not from
    /// a service of the machine.
    static func resolvingByFiles(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                let name = line.drop { $0 == " " || $0 == "\t" }
                return name.hasPrefix("hosts:") ? "hosts: files dns" : String(line)
            }
            .joined(separator: "\n")
    }
}
