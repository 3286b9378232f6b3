import TapedeckCassettes
import TapedeckPlatform

/// The files in which the Java installations of this machine keep the roots that they trust.
enum JavaStores {
    /// Stores that several installations share, on Debian, Fedora and SUSE.
    private static let shared = [
        "/etc/ssl/certs/java/cacerts", "/etc/pki/java/cacerts", "/etc/pki/ca-trust/extracted/java/cacerts",
        "/var/lib/ca-certificates/java-cacerts",
    ]
    /// Folders of installations: of packages, of images, and of SDKMAN and IntelliJ in the user's home.
    private static let systemFolders = ["/usr/lib/jvm", "/usr/java", "/opt/java"]
    private static let userFolders = [".sdkman/candidates/java", ".jdks"]
    /// The store of an installation; a Java 8 development kit has it in a subfolder.
    private static let names = ["lib/security/cacerts", "jre/lib/security/cacerts"]

    /// Returns the paths of the stores, each without symbolic links and once.
    ///
    /// - Parameter environment: names installations by `JAVA_HOME`, `PATH` and `HOME`.
    static func paths(environment: [String: String]) -> [String] {
        var homes: [String] = []
        if let home = environment["JAVA_HOME"], home.hasPrefix("/") { homes.append(home) }
        for folder in (environment["PATH"] ?? "").split(separator: ":") where folder.hasPrefix("/") {
            // `java` on the path is often a link to that of the installation.
            guard let program = self.resolved("\(folder)/java") else { continue }
            homes.append(FilePath.folder(of: FilePath.folder(of: program)))
        }
        let user = environment["HOME"].map { home in self.userFolders.map { FilePath.join(home, $0) } } ?? []
        for folder in self.systemFolders + user {
            homes += FileContents.names(in: folder).map { FilePath.join(folder, $0) }
        }
        let stores = self.shared + homes.flatMap { home in self.names.map { FilePath.join(home, $0) } }
        var seen: Set<String> = []
        return stores.compactMap(self.resolved).filter { seen.insert($0).inserted }
    }

    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }
}
