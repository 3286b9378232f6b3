/// The permitted targets of a deck, as in options and the project file.
package struct TargetSettings: Sendable, Equatable {
    /// The addresses that are permitted.
    package enum Scope: String, Sendable, Equatable, CaseIterable {
        case any
        /// Those that everybody on the internet can ask; see ``TargetKind``.
        case `public`
    }

    /// `nil` is what suits the address that the deck listens on.
    package var scope: Scope?
    /// The allowed non-public targets: names, with any addresses, addresses, and ranges.
    package var allowedPrivate: [HostPattern] = []
    /// If not empty, all other hosts are refused.
    package var hosts: [HostPattern] = []

    package init() {}

    /// Returns these settings, completed by those of `other`. A list of an option replaces that of the file.
    package func over(_ other: TargetSettings) -> TargetSettings {
        var result = self
        result.scope = self.scope ?? other.scope
        if result.allowedPrivate.isEmpty { result.allowedPrivate = other.allowedPrivate }
        if result.hosts.isEmpty { result.hosts = other.hosts }
        return result
    }
}
