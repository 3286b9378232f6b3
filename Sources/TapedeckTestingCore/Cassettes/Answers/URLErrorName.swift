extension Tapedeck {
    /// The error that a URLSession reports instead of an answer: the static members of `URLError.Code`, by name.
    ///
    /// Most of them happen before there is a connection, so a deck cannot cause them. A session whose configuration a deck
    /// made gets this exact error; every other client gets ``fault``.
    public enum URLErrorName: String, Sendable, CaseIterable {
        case unknown
        case cancelled
        case badURL
        case timedOut
        case unsupportedURL
        case cannotFindHost
        case cannotConnectToHost
        case networkConnectionLost
        case dnsLookupFailed
        case httpTooManyRedirects
        case resourceUnavailable
        case notConnectedToInternet
        case redirectToNonExistentLocation
        case badServerResponse
        case userCancelledAuthentication
        case userAuthenticationRequired
        case zeroByteResource
        case cannotDecodeRawData
        case cannotDecodeContentData
        case cannotParseResponse
        case internationalRoamingOff
        case callIsActive
        case dataNotAllowed
        case requestBodyStreamExhausted
        case appTransportSecurityRequiresSecureConnection
        case fileDoesNotExist
        case fileIsDirectory
        case noPermissionsToReadFile
        case dataLengthExceedsMaximum
        case secureConnectionFailed
        case serverCertificateHasBadDate
        case serverCertificateUntrusted
        case serverCertificateHasUnknownRoot
        case serverCertificateNotYetValid
        case clientCertificateRejected
        case clientCertificateRequired
        case cannotLoadFromNetwork

        /// The nearest fault, for clients that cannot get such an error.
        public var fault: Tapedeck.Fault {
            switch self {
            case .timedOut: .timeout
            case .cannotFindHost, .dnsLookupFailed: .nameNotResolved
            case .cannotConnectToHost: .connectionRefused
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .tlsHandshake
            case .badServerResponse, .cannotParseResponse: .malformedResponse
            default: .connectionReset
            }
        }
    }
}
