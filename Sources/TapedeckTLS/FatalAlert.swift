/// The TLS alert that refuses a handshake before it begins (RFC 8446 section 6.2).
package enum FatalAlert: UInt8, Sendable {
    /// The message cannot be parsed.
    case decodeError = 50
    /// It is not the client's fault.
    case internalError = 80
    /// The client names no host where it must (section 9.2).
    case missingExtension = 109
    /// The client names a host that there cannot be (RFC 6066 section 3).
    case unrecognizedName = 112

    /// The alert as a record, such as a server sends in place of its first message.
    package var record: [UInt8] { [21, 3, 3, 0, 2, 2, self.rawValue] }
}
