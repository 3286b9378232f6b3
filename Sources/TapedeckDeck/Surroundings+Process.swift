import TapedeckCassettes
import TapedeckCore
import TapedeckPlatform

extension Surroundings {
    /// The working folder, the host's name and the environment variables of this process, which a command behind `--`
    /// inherits. Without secrets, Tapedeck's own settings, and values that many things have.
    static var ofProcess: Surroundings {
        var values: [String: [String]] = [:]
        for (name, value) in ProcessEnvironment.variables where Self.counts(name, value) { values[name] = [value] }
        let folder = WorkingFolder.canonical(".")
        if folder.utf8.count > 1 { values[Self.folder] = [folder] }
        var name = [CChar](repeating: 0, count: 256)
        if gethostname(&name, name.count - 1) == 0 {
            let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !host.isEmpty, host != "localhost" { values[Self.host] = [host] }
        }
        return Surroundings(values)
    }

    private static let common: Set<String> = ["true", "false", "yes", "no", "on", "off", "none", "null"]

    private static func counts(_ name: String, _ value: String) -> Bool {
        let isOwn = name.hasPrefix("TAPEDECK") || ASCII.lowercased(name).hasSuffix("_proxy") || name == "_"
        return !isOwn && (2...256).contains(value.utf8.count) && !Self.common.contains(ASCII.lowercased(value))
            && !SecretMasking.hides(name)
    }
}
