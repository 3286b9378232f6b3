/// An error of the TLS layer: `code` is for programs, `message` for people.
///
/// Two errors are equal when their codes are. A failed handshake is not one of these but a
/// ``TLSHandshakeFailure``, because it belongs to a connection and not to our setup.
package struct TLSError: Error, Sendable, CustomStringConvertible {
    /// The stable part of an error. More codes may follow, so a `switch` needs a `default`.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Backing: String {
            case invalidHost
            case authorityUnreadable
            case authorityIncomplete
            case authorityPermissions
            case authorityCorrupt
            case authorityMismatch
            case authorityExpired
            case trustUnreadable
            case clientCertificateUnusable
            case clientCertificateRequired
            case `protocol`
            case library
        }

        private let backing: Backing

        private init(_ backing: Backing) {
            self.backing = backing
        }

        /// The text is neither a host name nor an IP address.
        package static let invalidHost = Code(.invalidHost)
        /// A file or the directory of the certificate authority cannot be read or written.
        package static let authorityUnreadable = Code(.authorityUnreadable)
        /// Only one of key and certificate is there.
        package static let authorityIncomplete = Code(.authorityIncomplete)
        /// Others than the owner can read or write the key.
        package static let authorityPermissions = Code(.authorityPermissions)
        /// Key or certificate does not parse, or the certificate is not a CA's.
        package static let authorityCorrupt = Code(.authorityCorrupt)
        /// The key is not the one of the certificate.
        package static let authorityMismatch = Code(.authorityMismatch)
        /// The certificate of the authority has expired.
        package static let authorityExpired = Code(.authorityExpired)
        /// An extra CA file cannot be read or holds no certificate.
        package static let trustUnreadable = Code(.trustUnreadable)
        /// A client certificate or its key cannot be read, or they do not belong together.
        package static let clientCertificateUnusable = Code(.clientCertificateUnusable)
        /// The peer wants a client certificate, and was shown none.
        package static let clientCertificateRequired = Code(.clientCertificateRequired)
        /// The peer broke the protocol after the handshake.
        package static let `protocol` = Code(.protocol)
        /// OpenSSL refused something that never fails in normal life, such as an allocation.
        package static let library = Code(.library)

        package var description: String {
            self.backing.rawValue
        }
    }

    /// The kind of the error, for programs.
    package var code: Code
    /// The error and how to fix it, for people.
    package var message: String

    /// An error with both its parts.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String {
        self.message
    }
}

extension TLSError: Equatable {
    package static func == (left: TLSError, right: TLSError) -> Bool {
        left.code == right.code
    }
}
