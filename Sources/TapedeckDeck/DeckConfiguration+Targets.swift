package import TapedeckCassettes
import TapedeckCore

extension DeckConfiguration {
    /// Takes where connections may go to from options as they are written.
    ///
    /// - Parameters:
    ///   - targets: `public` or `any`; `nil` is what suits the address that the deck listens on.
    ///   - allowPrivate: names, addresses and ranges that may be asked although they are not public.
    ///   - hosts: where there are any, nothing else is asked.
    /// - Throws: ``DeckError`` for what is written wrong.
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

    /// Where connections may go to: on an address that others can reach to public addresses only, unless it is said
    /// otherwise. What whoever starts the deck names as its origin or by `--resolve` is asked wherever it is.
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
    /// Takes ``port`` and ``controlPort`` from options.
    ///
    /// - Parameters:
    ///   - port: `nil` is 4747, or a free one for a command.
    ///   - controlPort: `nil` is the one after `port`, or a free one where that one is free, or is the last.
    ///   - hasControl: whether there is a control API.
    ///   - runsCommand: whether the deck is there for one command, which is told its ports.
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
