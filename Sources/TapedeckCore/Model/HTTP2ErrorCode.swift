/// A code of RST_STREAM and GOAWAY (RFC 9113 section 7).
package struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Returns the code with a name of the RFC, or with a number; `nil` for any other text.
    package init?(name: String) {
        if let index = Self.names.firstIndex(of: name) {
            self.init(rawValue: UInt32(index))
        } else if let number = UInt32(name) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }

    package static let noError = HTTP2ErrorCode(rawValue: 0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 1)
    package static let internalError = HTTP2ErrorCode(rawValue: 2)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    package static let cancel = HTTP2ErrorCode(rawValue: 8)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    package static let http11Required = HTTP2ErrorCode(rawValue: 13)

    /// The names of the RFC, in the order of their codes.
    package static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC, or the number.
    package var name: String {
        Int(self.rawValue) < Self.names.count ? Self.names[Int(self.rawValue)] : String(self.rawValue)
    }
}
