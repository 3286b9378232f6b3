import TapedeckCore
import TapedeckSessions
import TapedeckTLS

/// The failures on the way to an origin.
extension UpstreamFailure {
    private static let direct = "--no-upstream-proxy asks origins directly, and NO_PROXY lists hosts that are asked so"

    /// A proxy could not be reached, or broke off.
    init(reaching proxy: UpstreamProxy, _ error: any Error) {
        if let failure = error as? UpstreamFailure, failure.isOfProxy {
            self = failure
            return
        }
        if error is OwnAddressReached {
            self.init(
                fault: .connectionRefused,
                detail: "the upstream proxy \(proxy) is this deck itself; name another one, or --no-upstream-proxy"
            )
        } else {
            let failure = UpstreamFailure(connecting: error, host: proxy.origin.host)
            let cause = failure.detail ?? failure.fault.explanation
            self.init(
                // A client whose own connection were reset would not learn why.
                fault: failure.fault.gatewayStatus == nil ? .connectionRefused : failure.fault,
                detail: "the upstream proxy \(proxy) cannot be used: \(cause); \(Self.direct)"
            )
        }
        self.isOfProxy = true
    }

    /// The failure for a proxy that does not open a tunnel to `origin`.
    init(_ proxy: UpstreamProxy, refuses origin: Origin, status: Int, fields: [HeaderField]) {
        let answer = [String(status), StatusPhrase.standard(status)].filter { !$0.isEmpty }.joined(separator: " ")
        let detail =
            status == 407
            ? Self.wish(of: proxy, fields)
            : "the upstream proxy \(proxy) does not lead to \(origin.bracketedHost):\(origin.port) (\(answer)); "
                + Self.direct
        self.init(fault: status == 504 ? .timeout : .connectionRefused, detail: detail)
        self.isOfProxy = true
        self.proxyStatus = status
    }

    private static func wish(of proxy: UpstreamProxy, _ fields: [HeaderField]) -> String {
        let offers = fields.filter { $0.isNamed("proxy-authenticate") }.compactMap {
            $0.value.split { $0 == " " || $0 == "," }.first.map { ASCII.lowercased(String($0)) }
        }
        if !offers.isEmpty, !offers.contains("basic") {
            return
                "the upstream proxy \(proxy) knows users by \(Self.listed(offers)) only, which Tapedeck does not speak "
                + "(407); name a proxy on this machine that does it for you"
        }
        if proxy.credentials == nil {
            return "the upstream proxy \(proxy) wants a user name and a password (407): name it as "
                + "http://USER:PASSWORD@\(proxy), best in HTTPS_PROXY and http_proxy"
        }
        return "the upstream proxy \(proxy) does not take the user name and password that it was given (407)"
    }

    /// Returns the names of known authentication schemes among a proxy's offers.
    private static func listed(_ offers: [String]) -> String {
        let known = ["digest": "Digest", "negotiate": "Negotiate", "ntlm": "NTLM", "bearer": "Bearer"]
        let names = offers.compactMap { known[$0] }
        return names.isEmpty ? "other means than Basic" : Set(names).sorted().joined(separator: " and ")
    }
}
