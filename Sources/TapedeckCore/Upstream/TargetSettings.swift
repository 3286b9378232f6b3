/// Where a deck may connect to, as options and the project file say it.
package struct TargetSettings: Sendable, Equatable {
    /// Which addresses may be asked.
    package enum Scope: String, Sendable, Equatable, CaseIterable {
        case any
        /// Those that everybody on the internet can ask; see ``TargetKind``.
        case `public`
    }

    /// `nil` is what suits the address that the deck listens on.
    package var scope: Scope?
    /// The allowed non-public targets: names, with any addresses, addresses, and ranges.
    package var allowedPrivate: [HostPattern] = []
    /// Where it is not empty, nothing else is asked at all.
    package var hosts: [HostPattern] = []

    package init() {}

    /// These settings, and those of `other` where these say nothing. What an option allows does not add to what the file
    /// allows, but takes its place.
    package func over(_ other: TargetSettings) -> TargetSettings {
        var result = self
        result.scope = self.scope ?? other.scope
        if result.allowedPrivate.isEmpty { result.allowedPrivate = other.allowedPrivate }
        if result.hosts.isEmpty { result.hosts = other.hosts }
        return result
    }
}
