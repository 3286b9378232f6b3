/// The environment variables that send a program's HTTP traffic through a deck and make it trust the deck's certificates:
/// the one list of their names, for a deck that starts a program and for a test that does.
package enum ClientVariables {
    /// Variables that replace a program's roots.
    private static let replacing = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HTTPLIB2_CA_CERTS", "NIX_SSL_CERT_FILE", "PERL_LWP_SSL_CA_FILE",
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "CARGO_HTTP_CAINFO", "npm_config_cafile", "MOJO_CA_FILE",
        "COMPOSER_CAFILE", "HEX_CACERTS_PATH", "YARN_HTTPS_CA_FILE_PATH",
    ]
    /// Variables that add to a program's roots.
    private static let adding = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]
    /// Programs read one case or the other.
    private static let proxying = ["http_proxy", "https_proxy", "all_proxy"]
    /// Variables of single tools and libraries that hold the proxy's URL.
    private static let proxyingOne = [
        "npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY", "CGI_HTTP_PROXY",
        "GLOBAL_AGENT_HTTP_PROXY", "GLOBAL_AGENT_HTTPS_PROXY", "WS_PROXY", "WSS_PROXY",
    ]
    /// Variables that make a program read the proxy variables: Node from 22.21 and 24.5, Perl's LWP and Mojolicious.
    private static let enabling = ["NODE_USE_ENV_PROXY", "PERL_LWP_ENV_PROXY", "MOJO_PROXY"]
    /// With these set, some programs take HTTP_PROXY for an attack (CVE-2016-5385) and ignore it.
    private static let misleading = ["REQUEST_METHOD", "GATEWAY_INTERFACE"]
    /// A deck's own settings, which its child processes do not get.
    private static let ofTheDeck = [
        "TAPEDECK_PORT", "TAPEDECK_CONTROL_PORT", "TAPEDECK_TOKEN_FILE",
    ]
    /// The places where distributions keep the system's roots.
    package static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem", "/opt/homebrew/etc/openssl@3/cert.pem",
    ]

    /// The variables that make programs trust the deck.
    ///
    /// - Parameters:
    ///   - authority: a file with the deck's authority alone, for variables that add to a program's own roots.
    ///   - bundle: a file with the system's roots and the deck's, for variables that replace them.
    package static func trust(authority: String, bundle: String) -> [(name: String, value: String)] {
        self.replacing.map { ($0, bundle) } + self.adding.map { ($0, authority) }
    }

    /// The variables that send traffic to `proxy`.
    package static func proxy(_ proxy: String) -> [(name: String, value: String)] {
        let both = self.proxying.flatMap { [($0, proxy), ($0.uppercased(), proxy)] }
        // An inherited exception would lead past the deck.
        return both + self.proxyingOne.map { ($0, proxy) } + [("no_proxy", ""), ("NO_PROXY", "")]
            + self.enabling.map { ($0, "1") }
    }

    /// Returns the environment of a child, from an inherited one.
    ///
    /// - Parameters:
    ///   - proxy: with a key or a token, if the deck requires one.
    ///   - authority: see ``trust(authority:bundle:)``.
    ///   - bundle: the same.
    ///   - baseURL: the base URL, if there is one.
    ///   - controlURL: the URL of the control API. Without it, variables that name another deck are removed.
    ///   - token: the token of the control API, if it has one.
    ///   - session: the session for the child's `tapedeck` commands; without it, variables that name a session are
    ///     removed.
    ///   - isIsolated: true if all connections of the child lead to the deck, so that it needs no proxy variables.
    package static func child(
        inheriting inherited: [String: String],
        proxy: String,
        authority: String,
        bundle: String,
        baseURL: String? = nil,
        controlURL: String?,
        token: String?,
        session: String? = nil,
        isIsolated: Bool = false
    ) -> [String: String] {
        var environment = inherited
        for name in self.misleading { environment[name] = nil }
        for (name, value) in self.proxy(proxy) { environment[name] = isIsolated ? nil : value }
        for (name, value) in self.trust(authority: authority, bundle: bundle) { environment[name] = value }
        environment["TAPEDECK_PROXY"] = proxy
        environment["TAPEDECK_BASE_URL"] = baseURL
        environment["TAPEDECK_URL"] = controlURL
        environment["TAPEDECK_SESSION"] = session
        environment["TAPEDECK_TOKEN"] = controlURL == nil ? nil : token
        for name in self.ofTheDeck { environment[name] = nil }
        return environment
    }

    /// Files that may hold the roots that a program would use without the deck, the likeliest first.
    package static func bundles(inheriting inherited: [String: String]) -> [String] {
        let named = [inherited["SSL_CERT_FILE"], inherited["CURL_CA_BUNDLE"]].compactMap { $0 }
        return (named + self.systemBundles).filter { !$0.isEmpty }
    }
}
