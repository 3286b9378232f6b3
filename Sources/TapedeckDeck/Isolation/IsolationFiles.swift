package import TapedeckCassettes
import TapedeckControlAPI

/// Files of the system that an isolated command sees in another form: name servers, and the roots that programs trust.
package struct IsolationFiles: Sendable {
    /// A file and what it lies over.
    package typealias Cover = (source: String, target: String)

    /// Sockets of caches that would answer for names from outside.
    private static let nameCaches = ["/run/nscd/socket", "/var/run/nscd/socket"]

    package let covers: [Cover]

    /// Writes the files beside the certificate files, with which they are removed.
    ///
    /// - Parameter coversRoots: false leaves the system's roots as they are.
    package init(trust: ClientEnvironment.TrustFiles, coversRoots: Bool = true) throws(DeckError) {
        let folder = FilePath.folder(of: trust.bundle)
        var covers: [Cover] = []
        do {
            let resolver = FilePath.join(folder, "resolv.conf")
            try FileContents.replace(resolver, with: Array("nameserver 127.0.0.1\n".utf8), waitsForDisk: false)
            covers.append((resolver, "/etc/resolv.conf"))
            if let services = try? FileContents.read("/etc/nsswitch.conf") {
                let own = FilePath.join(folder, "nsswitch.conf")
                let text = Self.resolvingByFiles(String(decoding: services, as: UTF8.self))
                try FileContents.replace(own, with: Array(text.utf8), waitsForDisk: false)
                covers.append((own, "/etc/nsswitch.conf"))
            }
        } catch {
            throw DeckError(error)
        }
        if coversRoots { covers += ClientVariables.systemBundles.map { (trust.bundle, $0) } }
        covers += Self.nameCaches.map { ("/dev/null", $0) }
        self.covers = covers
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
