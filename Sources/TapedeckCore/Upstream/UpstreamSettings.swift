/// The way to origins, as in options and the project file. Nothing has been looked up yet.
package struct UpstreamSettings: Sendable, Equatable {
    /// The choice of a proxy.
    package enum Proxying: Sendable, Equatable {
        /// The proxies of `HTTPS_PROXY` and the like.
        case inherited
        /// Connects to origins directly.
        case direct
        case through(UpstreamProxy)
    }

    /// The files of a client certificate, and whom it is shown to.
    package struct ClientCertificateFiles: Sendable, Equatable {
        package var hosts: HostPattern
        /// PEM: the certificate, then those that it was signed with.
        package var certificate: String
        /// PEM; `nil` where the key is in the certificate's file.
        package var key: String?
        /// The environment variable with the pass phrase of the key, if it has one.
        package var passphraseVariable: String?

        package init(hosts: HostPattern, certificate: String, key: String? = nil, passphraseVariable: String? = nil) {
            self.hosts = hosts
            self.certificate = certificate
            self.key = key
            self.passphraseVariable = passphraseVariable
        }

        /// `HOST=CERT[,KEY]`, with paths of files.
        ///
        /// - Throws: ``UpstreamOptionError``.
        package init(_ text: String) throws(UpstreamOptionError) {
            guard let equals = text.firstIndex(of: "="), let hosts = try? HostPattern(String(text[..<equals]))
            else {
                throw Self.refusal(of: text)
            }
            let files = text[text.index(after: equals)...]
                .split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let certificate = files.first, files.allSatisfy({ !$0.isEmpty }) else {
                throw Self.refusal(of: text)
            }
            self.init(hosts: hosts, certificate: certificate, key: files.count > 1 ? files[1] : nil)
        }

        private static func refusal(of text: String) -> UpstreamOptionError {
            UpstreamOptionError(
                "\"\(text)\" names no client certificate; write HOST=CERT.pem, or HOST=CERT.pem,KEY.pem where the key is "
                    + "in a file of its own; *.example.com is for all hosts of that domain"
            )
        }
    }

    /// `nil` if not set, which means ``Proxying/inherited``.
    package var proxy: Proxying?
    /// Hosts that are contacted directly; `nil` uses `NO_PROXY`.
    package var exceptions: ProxyExceptions?
    /// PEM files with certificate authorities to trust for origins, in addition to the system's.
    package var authorities: [String] = []
    /// The first one that is for a host is shown to it.
    package var clientCertificates: [ClientCertificateFiles] = []
    package var overrides: [AddressOverride] = []
    /// The permitted targets of connections.
    package var targets = TargetSettings()

    package init() {}

    /// Returns these settings, completed by those of `other`.
    package func over(_ other: UpstreamSettings) -> UpstreamSettings {
        var result = self
        result.proxy = self.proxy ?? other.proxy
        result.exceptions = self.exceptions ?? other.exceptions
        result.authorities += other.authorities
        result.clientCertificates += other.clientCertificates
        result.overrides += other.overrides
        result.targets = self.targets.over(other.targets)
        return result
    }
}
