import NIOCore
import NIOPosix
import TapedeckCore
import TapedeckHTTP1
import TapedeckPlatform
import TapedeckSessions
import TapedeckTLS

/// The meaning of errors on a connection to an origin.
extension UpstreamFailure {
    /// Creates the failure for an error of connecting.
    init(connecting error: any Error, host: String) {
        switch error {
        case let failure as UpstreamFailure:
            self = failure
        case let failure as TLSHandshakeFailure:
            self.init(fault: .tlsHandshake, detail: Self.detail(failure))
        case let error as TLSError:
            self.init(fault: .tlsHandshake, detail: error.message)
        case let error as NIOConnectionError:
            self = Self.connection(error, host: host)
        case ChannelError.connectTimeout:
            self.init(fault: .timeout, detail: "connecting took too long")
        default:
            self.init(fault: .connectionRefused, detail: Self.reason(error))
        }
    }

    /// The origin took the connection and closed or reset it before TLS was there.
    static func interruptedHandshake(_ error: (any Error)?) -> UpstreamFailure {
        let reason = error.flatMap(self.reason).map { " (\($0))" } ?? ""
        return UpstreamFailure(fault: .tlsHandshake, detail: "the connection was closed during the handshake\(reason)")
    }

    /// Creates the failure for an error on an open connection.
    init(reading error: any Error) {
        switch error {
        case let failure as UpstreamFailure:
            self = failure
        case let problem as MalformedMessage:
            self.init(fault: .malformedResponse, detail: problem.reason)
        case let error as TLSError where error.code == .clientCertificateRequired:
            self.init(
                fault: .tlsHandshake,
                detail: "\(error.message); name one with --client-cert HOST=CERT.pem,KEY.pem"
            )
        default:
            self.init(fault: .connectionReset)
        }
    }

    private static func connection(_ error: NIOConnectionError, host: String) -> UpstreamFailure {
        if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            return UpstreamFailure(fault: .nameNotResolved, detail: "\(host) has no address")
        }
        let causes = error.connectionErrors.map(\.error)
        if !causes.isEmpty, causes.allSatisfy({ if case ChannelError.connectTimeout = $0 { true } else { false } }) {
            return UpstreamFailure(fault: .timeout, detail: "connecting took too long")
        }
        return UpstreamFailure(fault: .connectionRefused, detail: causes.first.flatMap(Self.reason))
    }

    private static func reason(_ error: any Error) -> String? {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) }
    }

    private static func detail(_ failure: TLSHandshakeFailure) -> String {
        switch failure.reason {
        case .certificateInvalid(let cause):
            "the certificate of \(failure.host) is not accepted: \(cause); name its authority with --upstream-ca FILE, "
                + "or take it unverified with --insecure-upstream \(failure.host)"
        case .peerRejectedCertificate(let alert): "\(failure.host) sent the alert \(alert)"
        case .closed: "\(failure.host) closed the connection during the handshake"
        case .noApplicationProtocol: "\(failure.host) does not speak HTTP/1.1"
        case .protocolError(let text): text
        }
    }
}
