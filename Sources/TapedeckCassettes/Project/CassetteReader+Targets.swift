import TapedeckCore
import TapedeckYAML

/// `upstream:` of a project file: where the deck may connect to.
extension CassetteReader {
    static let targetKeys = ["targets", "allowPrivate", "hosts"]

    /// Reads one of ``targetKeys``.
    mutating func readTargets(_ key: String, _ node: YAMLNode, into settings: inout TargetSettings) {
        switch key {
        case "targets":
            guard let text = self.text(node, key) else { return }
            settings.scope = TargetSettings.Scope(rawValue: text)
            if settings.scope == nil { self.error(node, "`targets` is `public` or `any`, not `\(text)`") }
        case "allowPrivate": settings.allowedPrivate = self.hosts(node, key)
        default: settings.hosts = self.hosts(node, key)
        }
    }
}
