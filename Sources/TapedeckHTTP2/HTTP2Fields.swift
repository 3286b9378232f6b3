import CNghttp2
import TapedeckCore

/// Fields as libnghttp2 takes them.
enum HTTP2Fields {
    /// Calls `body` with `fields`, whose names it gets in lower case (RFC 9113 section 8.2).
    static func with<Result>(
        _ fields: [HeaderField],
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.count * 40)
        var ends: [(name: Int, value: Int)] = []
        ends.reserveCapacity(fields.count)
        for field in fields {
            ByteText.append(field.name, to: &bytes)
            let name = bytes.count
            ByteText.append(field.value, to: &bytes)
            ends.append((name, bytes.count))
        }
        return bytes.withUnsafeMutableBufferPointer { bytes in
            var start = 0
            let list = ends.map { end in
                defer { start = end.value }
                return nghttp2_nv(
                    name: bytes.baseAddress.map { $0 + start },
                    value: bytes.baseAddress.map { $0 + end.name },
                    namelen: end.name - start,
                    valuelen: end.value - end.name,
                    flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                )
            }
            return list.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}

/// The codes of RST_STREAM and GOAWAY (RFC 9113 section 7).
package struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let noError = HTTP2ErrorCode(rawValue: 0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 1)
    package static let internalError = HTTP2ErrorCode(rawValue: 2)
    package static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    package static let cancel = HTTP2ErrorCode(rawValue: 8)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
    package static let http11Required = HTTP2ErrorCode(rawValue: 13)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC, or the number.
    package var name: String {
        Int(self.rawValue) < Self.names.count ? Self.names[Int(self.rawValue)] : String(self.rawValue)
    }
}

/// Bytes of a connection are no HTTP/2, or libnghttp2 gave up.
package struct HTTP2Failure: Error, Sendable, CustomStringConvertible {
    let code: Int32

    package var description: String { String(cString: nghttp2_strerror(self.code)) }
}
