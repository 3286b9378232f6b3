import NIOCore
import TapedeckProxy

extension ProxyConfiguration {
    /// The defaults without a limit on a client's silence: thousands of tests at once may delay a client's next bytes for
    /// minutes.
    static var patient: ProxyConfiguration {
        var configuration = ProxyConfiguration()
        configuration.headTimeout = .hours(1)
        configuration.bodyTimeout = .hours(1)
        configuration.idleTimeout = .hours(1)
        return configuration
    }
}
