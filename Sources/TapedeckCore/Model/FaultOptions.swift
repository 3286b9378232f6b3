/// The details of a ``Fault``, beside its name. Each goes with some faults only; see ``Fault/options``.
package struct FaultOptions: Sendable, Equatable {
    /// A key of a fault in a cassette.
    package enum Key: String, Sendable, CaseIterable {
        case code
        case after
        case lastStream
    }

    /// How much of a body comes before a fault.
    package enum Point: Sendable, Equatable {
        case bytes(Int)
        /// Messages of gRPC, each with the five bytes in front of it.
        case messages(Int)
    }

    /// The code of the RST_STREAM or GOAWAY; `nil` is that of the fault.
    package var code: HTTP2ErrorCode?
    /// The part of the body that comes before the fault; `nil` is that of the fault.
    package var after: Point?
    /// The last stream that a GOAWAY names; `nil` is the one before the request.
    package var lastStream: Int?

    package init(code: HTTP2ErrorCode? = nil, after: Point? = nil, lastStream: Int? = nil) {
        self.code = code
        self.after = after
        self.lastStream = lastStream
    }

    package static let none = FaultOptions()

    /// Each option that has a value, in words.
    var words: [String] {
        let after: String? =
            switch self.after {
            case .bytes(let count): "after \(Plural.text(count, "byte", "bytes"))"
            case .messages(let count): "after \(Plural.text(count, "message", "messages"))"
            case nil: nil
            }
        return [self.code?.name, after, self.lastStream.map { "with last stream \($0)" }].compactMap { $0 }
    }

    /// The keys that have a value.
    package var keys: [Key] {
        Key.allCases.filter { key in
            switch key {
            case .code: self.code != nil
            case .after: self.after != nil
            case .lastStream: self.lastStream != nil
            }
        }
    }
}
