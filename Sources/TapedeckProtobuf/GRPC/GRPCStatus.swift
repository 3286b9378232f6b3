import TapedeckJSON

/// A status code of gRPC, as in `grpc-status`. 0 is success.
package struct GRPCStatusCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package var rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static let ok = GRPCStatusCode(rawValue: 0)
    package static let cancelled = GRPCStatusCode(rawValue: 1)
    package static let unknown = GRPCStatusCode(rawValue: 2)
    package static let invalidArgument = GRPCStatusCode(rawValue: 3)
    package static let deadlineExceeded = GRPCStatusCode(rawValue: 4)
    package static let notFound = GRPCStatusCode(rawValue: 5)
    package static let alreadyExists = GRPCStatusCode(rawValue: 6)
    package static let permissionDenied = GRPCStatusCode(rawValue: 7)
    package static let resourceExhausted = GRPCStatusCode(rawValue: 8)
    package static let failedPrecondition = GRPCStatusCode(rawValue: 9)
    package static let aborted = GRPCStatusCode(rawValue: 10)
    package static let outOfRange = GRPCStatusCode(rawValue: 11)
    package static let unimplemented = GRPCStatusCode(rawValue: 12)
    package static let `internal` = GRPCStatusCode(rawValue: 13)
    package static let unavailable = GRPCStatusCode(rawValue: 14)
    package static let dataLoss = GRPCStatusCode(rawValue: 15)
    package static let unauthenticated = GRPCStatusCode(rawValue: 16)

    /// The names of the codes 0 to 16, in order.
    package static let names = [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
        "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
        "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
    ]

    /// Parses a name such as `UNAVAILABLE` or a number. Returns `nil` for anything else.
    package init?(_ text: String) {
        guard let code = Self.names.firstIndex(of: text) ?? Int(text), code >= 0 else { return nil }
        self.rawValue = code
    }

    /// The name, or the number of an unknown code.
    package var description: String {
        Self.names.indices.contains(self.rawValue) ? Self.names[self.rawValue] : String(self.rawValue)
    }

    /// The name in Connect, in lower case: `unavailable`.
    package var connectName: String {
        self == .cancelled ? "canceled" : ASCII.lowercased(self.description)
    }

    /// Parses a name of Connect. Returns `nil` for anything else; Connect has no name for success.
    package init?(connectName: String) {
        let names = 1..<Self.names.count
        guard let code = names.first(where: { GRPCStatusCode(rawValue: $0).connectName == connectName }) else {
            return nil
        }
        self.rawValue = code
    }
}

/// The percent-encoding of `grpc-message` ("Status-Message" in the protocol of gRPC over HTTP/2).
package enum GRPCStatusMessage {
    /// Returns the field value for a text. Encodes all bytes except printable ASCII, and `%`.
    package static func encode(_ text: String) -> [UInt8] {
        var value: [UInt8] = []
        for byte in text.utf8 {
            if 0x20...0x7E ~= byte, byte != ASCII.percent {
                value.append(byte)
            } else {
                value.append(contentsOf: [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte)])
            }
        }
        return value
    }

    /// Returns the text of a field value. As the protocol requires, this never fails: an invalid escape is kept as it
    /// is, and invalid UTF-8 becomes U+FFFD.
    package static func decode(_ value: [UInt8]) -> String {
        var bytes: [UInt8] = []
        var index = 0
        while index < value.count {
            if value[index] == ASCII.percent, index + 2 < value.count, let high = ASCII.hexValue(value[index + 1]),
                let low = ASCII.hexValue(value[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(value[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of a field value; `nil` if ``encode(_:)`` would not give back exactly this value.
    package static func exactText(of value: [UInt8]) -> String? {
        let text = self.decode(value)
        return self.encode(text) == value ? text : nil
    }
}

/// Metadata whose name ends in `-bin`: base64.
package enum GRPCBinaryMetadata {
    /// Decodes a value with or without padding. Returns `nil` if it is not base64, or if a comma joins several values.
    package static func decode(_ value: [UInt8]) -> [UInt8]? {
        value.withUnsafeBytes { Base64.decodeEither($0) }
    }

    /// Encodes a value. gRPC recommends no padding.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        Base64.encode(bytes, isPadded: false)
    }
}
