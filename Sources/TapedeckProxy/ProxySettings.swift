import NIOPosix

/// The configuration of a proxy as it is at one moment, with what is made of it. Replaced as a whole when it is read
/// again; what has begun with the old one ends with it.
final class ProxySettings: Sendable {
    let configuration: ProxyConfiguration
    /// Certificates that origins are verified against.
    let trust: UpstreamTrust

    init(_ configuration: ProxyConfiguration, threadPool: NIOThreadPool) {
        self.configuration = configuration
        self.trust = UpstreamTrust(configuration: configuration, threadPool: threadPool)
    }
}
