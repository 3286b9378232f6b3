import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

/// The options for modes that talk to origins: the way to them, and the addresses and hosts that a deck may connect to.
struct UpstreamOptions: ParsableArguments {
    /// The addresses that are permitted.
    enum TargetScope: String, ExpressibleByArgument, CaseIterable {
        case any, `public`
    }

    @Option(DeckOption.upstreamProxy) var proxy: String?
    @Flag(DeckOption.noUpstreamProxy) var usesNoProxy: Bool
    @Option(DeckOption.upstreamCA) var authorities: [String]
    @Option(DeckOption.insecureUpstream) var insecureHosts: [String]
    @Option(DeckOption.h2c) var cleartextHTTP2: [String]
    @Option(DeckOption.clientCert) var clientCertificates: [String]
    @Option(DeckOption.resolve) var overrides: [String]

    @Option(DeckOption.targets) var targets: TargetScope?
    @Option(DeckOption.allowPrivate) var allowPrivate: [String]
    @Option(DeckOption.allowHosts) var allowHosts: [String]

    @Option(DeckOption.connectTimeout) var connectTimeout: Int
    @Option(DeckOption.readTimeout) var readTimeout: Int
    @Flag(DeckOption.strictOrigins) var isStrictWithOrigins: Bool

    func validate() throws {
        guard self.connectTimeout > 0, self.readTimeout >= 0 else {
            throw ValidationError("timeouts are whole seconds: at least 1, or 0 for --read-timeout without a limit")
        }
        guard self.proxy == nil || !self.usesNoProxy else {
            throw ValidationError(
                "--upstream-proxy and --no-upstream-proxy contradict each other: leave out one of them"
            )
        }
        do {
            // Parsed again when they are used; a mistake is reported like any other of the command line.
            var configuration = DeckConfiguration.passthrough()
            try self.takeRoute(into: &configuration)
            try self.takeTargets(into: &configuration)
        } catch let error as DeckError {
            throw ValidationError(error.description)
        }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.upstreamCAFiles = self.authorities
        configuration.insecureHosts = self.insecureHosts
        configuration.cleartextHTTP2 = self.cleartextHTTP2
        configuration.connectTimeout = self.connectTimeout
        configuration.readTimeout = self.readTimeout
        configuration.isStrictWithOrigins = self.isStrictWithOrigins
        // Checked in `validate`.
        try? self.takeRoute(into: &configuration)
        // After the route, which replaces all of `upstream`.
        try? self.takeTargets(into: &configuration)
    }

    private func takeRoute(into configuration: inout DeckConfiguration) throws {
        try configuration.takeUpstream(
            proxy: self.proxy,
            usesProxy: !self.usesNoProxy,
            clientCertificates: self.clientCertificates,
            overrides: self.overrides
        )
    }

    private func takeTargets(into configuration: inout DeckConfiguration) throws {
        try configuration.takeTargets(
            self.targets?.rawValue,
            allowPrivate: self.allowPrivate,
            hosts: self.allowHosts
        )
    }
}

extension DeckOption {
    static let upstreamProxy = DeckOption(
        "upstream-proxy",
        value: "url",
        default: "http_proxy, HTTPS_PROXY, ALL_PROXY",
        in: .live,
        place: .section("upstream.proxy", addsUp: false),
        excludes: ["no-upstream-proxy"]
    )
    .with(help: "The proxy for connections to origins, except the hosts in NO_PROXY.")

    static let noUpstreamProxy = DeckOption(
        "no-upstream-proxy",
        kind: .flag,
        in: .live,
        place: .nowhere,
        excludes: ["upstream-proxy"]
    )
    .with(help: "Connect to origins directly, whatever the environment says.")

    static let upstreamCA = DeckOption(
        "upstream-ca",
        kind: .repeated(.commas),
        value: "file",
        in: .live,
        place: .section("upstream.ca", addsUp: true),
        isPath: true
    )
    .with(help: "A PEM file of certificate authorities to trust in addition to those of the system; may be repeated.")

    static let insecureUpstream = DeckOption("insecure-upstream", kind: .repeated(.commas), value: "host", in: .live)
        .with(help: "A host whose certificate is not verified; may be repeated.")

    static let h2c = DeckOption("h2c", kind: .repeated(.commas), value: "host", in: .live)
        .with(help: "A host whose http origin speaks HTTP/2 by prior knowledge; may be repeated.")

    static let clientCert = DeckOption(
        "client-cert",
        kind: .repeated(.lines),
        value: "host=cert[,key]",
        in: .live,
        place: .section("upstream.clientCertificates", addsUp: true)
    )
    .with(
        help: """
            A client certificate in PEM for hosts such as *.example.com, with its key in the same file or \
            another; may be repeated.
            """
    )

    static let resolve = DeckOption(
        "resolve",
        kind: .repeated(.lines),
        value: "host:port:address",
        in: .live,
        place: .section("upstream.resolve", addsUp: true)
    )
    .with(help: "The address to connect to for a host and port, like curl's option; may be repeated.")

    static let targets = DeckOption(
        "targets",
        default: "any on loopback, else public",
        in: .live,
        place: .section("upstream.targets", addsUp: false)
    )
    .with(help: "The permitted addresses of origins: any, or public ones only, even if a name resolves to others.")

    static let allowPrivate = DeckOption(
        "allow-private",
        kind: .repeated(.lines),
        value: "host",
        in: .live,
        place: .section("upstream.allowPrivate", addsUp: false)
    )
    .with(
        help: """
            An exception for an origin that is not public: a host, an address, or a range such as 10.20.0.0/16; \
            may be repeated.
            """
    )

    static let allowHosts = DeckOption(
        "allow-hosts",
        kind: .repeated(.lines),
        value: "host",
        in: .live,
        place: .section("upstream.hosts", addsUp: false)
    )
    .with(help: "A host that requests may go to; if any is named, all others are refused; may be repeated.")

    static let connectTimeout = DeckOption("connect-timeout", value: "seconds", in: .live)
        .with(help: "The maximum time for connecting to an origin, including its TLS handshake.")
        .with(default: DeckConfiguration.Defaults.connectTimeout)

    static let readTimeout = DeckOption("read-timeout", value: "seconds", in: .live)
        .with(help: "The maximum silence of an origin while an answer is due; 0 waits as long as the client does.")
        .with(default: DeckConfiguration.Defaults.readTimeout)

    static let strictOrigins = DeckOption("strict-origins", kind: .flag, in: .live)
        .with(help: "Refuse malformed answers of origins that clients can read, instead of repairing them.")
}

extension UpstreamOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        .upstreamProxy, .noUpstreamProxy, .upstreamCA, .insecureUpstream, .h2c, .clientCert, .resolve,
        DeckOption.connectTimeout.option, DeckOption.readTimeout.option, .strictOrigins,
        .targets, .allowPrivate, .allowHosts,
    ]
}
