/// The error that a URLSession reports instead of an answer: the static members of `URLError.Code`, by name, with their
/// numbers in `NSURLErrorDomain`.
///
/// A fault happens on the wire, and most of these errors happen before there is a connection; so a take names one for
/// clients that get faults as text (see `X-Tapedeck-Client`).
package enum URLErrorCode: Int, Sendable, CaseIterable {
    case unknown = -1
    case cancelled = -999
    case badURL = -1000
    case timedOut = -1001
    case unsupportedURL = -1002
    case cannotFindHost = -1003
    case cannotConnectToHost = -1004
    case networkConnectionLost = -1005
    case dnsLookupFailed = -1006
    case httpTooManyRedirects = -1007
    case resourceUnavailable = -1008
    case notConnectedToInternet = -1009
    case redirectToNonExistentLocation = -1010
    case badServerResponse = -1011
    case userCancelledAuthentication = -1012
    case userAuthenticationRequired = -1013
    case zeroByteResource = -1014
    case cannotDecodeRawData = -1015
    case cannotDecodeContentData = -1016
    case cannotParseResponse = -1017
    case internationalRoamingOff = -1018
    case callIsActive = -1019
    case dataNotAllowed = -1020
    case requestBodyStreamExhausted = -1021
    case appTransportSecurityRequiresSecureConnection = -1022
    case fileDoesNotExist = -1100
    case fileIsDirectory = -1101
    case noPermissionsToReadFile = -1102
    case dataLengthExceedsMaximum = -1103
    case secureConnectionFailed = -1200
    case serverCertificateHasBadDate = -1201
    case serverCertificateUntrusted = -1202
    case serverCertificateHasUnknownRoot = -1203
    case serverCertificateNotYetValid = -1204
    case clientCertificateRejected = -1205
    case clientCertificateRequired = -1206
    case cannotLoadFromNetwork = -2000

    /// As Swift spells it.
    package var name: String { "\(self)" }

    /// Returns the code with this name in Swift, or `nil`.
    package init?(name: String) {
        guard let found = Self.byName[name] else { return nil }
        self = found
    }

    /// All names, in the order of the numbers' size.
    package static let names = Self.allCases.map(\.name)

    private static let byName = Dictionary(uniqueKeysWithValues: Self.allCases.map { ($0.name, $0) })
}
