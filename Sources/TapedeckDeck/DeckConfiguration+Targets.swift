package import TapedeckCassettes
import TapedeckCore

extension DeckConfiguration {
    /// Sets the allowed targets from the texts of options.
    ///
    /// - Parameters:
    ///   - targets: `public` or `any`; `nil` depends on the address that the deck listens on.
    ///   - allowPrivate: names, addresses and ranges that are allowed although they are not public.
    ///   - hosts: the only allowed hosts; empty allows all.
    /// - Throws: ``DeckError`` for mistakes in them.
    package mutating func takeTargets(
        _ targets: String?,
        allowPrivate: [String],
        hosts: [String]
    ) throws(DeckError) {
        var settings = TargetSettings()
        if let targets {
            guard let scope = TargetSettings.Scope(rawValue: targets) else {
                throw DeckError("--targets takes public or any, not `\(targets)`", kind: .badOption)
            }
            settings.scope = scope
        }
        settings.allowedPrivate = try Self.hosts(allowPrivate, "--allow-private")
        settings.hosts = try Self.hosts(hosts, "--allow-hosts")
        self.upstream.targets = settings
    }

    /// Returns the permitted targets: on an address that others can reach, public addresses only by default. The deck's
    /// origin and the hosts of `--resolve` are always permitted.
    ///
    /// - Parameter reverse: the deck's own origin.
    func targetRules(reverse: Origin?) -> TargetRules {
        TargetRules(
            self.upstream.targets,
            scope: self.requiresToken ? .public : .any,
            named: reverse.map { [$0] } ?? [],
            overrides: AddressOverrides(self.upstream.overrides)
        )
    }
}

extension DeckConfiguration {
    /// Sets ``port`` and ``controlPort`` from options.
    ///
    /// - Parameters:
    ///   - port: `nil` means 4747, or a free one for a command.
    ///   - controlPort: `nil` means the one after `port`, or a free one if `port` is free or the last one.
    ///   - hasControl: true with a control API.
    ///   - runsCommand: true if the deck runs one command, which gets its ports.
    package mutating func takePorts(port: Int?, controlPort: Int?, hasControl: Bool, runsCommand: Bool) {
        self.port = port ?? (runsCommand ? 0 : Defaults.port)
        // Another port is chosen to stay out of another deck's way, which a fixed control port would not.
        let takesFree = runsCommand || self.port == 0 || self.port == 65_535
        self.controlPort = hasControl ? controlPort ?? (takesFree ? 0 : self.port + 1) : nil
    }

    /// Returns the URL by which clients on this machine reach an address that a deck listens on.
    package static func url(host: String, port: Int) -> String {
        ListenerAddress(host: host, port: port).url
    }
}
