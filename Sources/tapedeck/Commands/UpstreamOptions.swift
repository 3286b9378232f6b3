import ArgumentParser
import TapedeckServer

/// The options for modes that talk to origins.
struct UpstreamOptions: ParsableArguments {
    @Option(
        name: .customLong("upstream-proxy"),
        help: ArgumentHelp(
            "The proxy to ask origins through (default: http_proxy, HTTPS_PROXY, ALL_PROXY, but for hosts of NO_PROXY).",
            valueName: "url"
        )
    )
    var proxy: String?

    @Flag(name: .customLong("no-upstream-proxy"), help: "Ask origins directly, whatever the environment says.")
    var usesNoProxy = false

    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp("A PEM file of authorities to trust too; may be repeated.", valueName: "file")
    )
    var authorities: [String] = []

    @Option(
        name: .customLong("insecure-upstream"),
        help: ArgumentHelp("A host whose certificate is taken unverified; may be repeated.", valueName: "host")
    )
    var insecureHosts: [String] = []

    @Option(
        name: .customLong("client-cert"),
        help: ArgumentHelp(
            "A client certificate in PEM for hosts such as *.example.com, with its key in the same file or another; may be "
                + "repeated.",
            valueName: "host=cert[,key]"
        )
    )
    var clientCertificates: [String] = []

    @Option(
        name: .customLong("resolve"),
        help: ArgumentHelp(
            "The address to connect to for a host and port, as curl's; may be repeated.",
            valueName: "host:port:address"
        )
    )
    var overrides: [String] = []

    @OptionGroup var targets: TargetOptions

    @Option(help: ArgumentHelp("How long connecting to an origin may take.", valueName: "seconds"))
    var connectTimeout = 10

    @Option(help: ArgumentHelp("How long an origin may be silent while an answer is due.", valueName: "seconds"))
    var readTimeout = 60

    func validate() throws {
        guard self.connectTimeout > 0, self.readTimeout > 0 else {
            throw ValidationError("timeouts are whole seconds, at least 1")
        }
        guard self.proxy == nil || !self.usesNoProxy else {
            throw ValidationError(
                "--upstream-proxy and --no-upstream-proxy contradict each other: leave out one of them"
            )
        }
        do {
            // Read again where they are used; a mistake is told like any other of the command line.
            var configuration = DeckConfiguration.passthrough()
            try self.takeRoute(into: &configuration)
        } catch let error as DeckError {
            throw ValidationError(error.description)
        }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.upstreamCAFiles = self.authorities
        configuration.insecureHosts = self.insecureHosts
        configuration.connectTimeout = self.connectTimeout
        configuration.readTimeout = self.readTimeout
        // Checked in `validate`.
        try? self.takeRoute(into: &configuration)
        self.targets.apply(to: &configuration)
    }

    private func takeRoute(into configuration: inout DeckConfiguration) throws {
        try configuration.takeUpstream(
            proxy: self.proxy,
            usesProxy: !self.usesNoProxy,
            clientCertificates: self.clientCertificates,
            overrides: self.overrides
        )
    }
}
