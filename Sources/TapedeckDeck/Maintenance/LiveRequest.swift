import TapedeckCore

/// A recorded request that is asked for again.
struct LiveRequest: Sendable {
    /// Fields that follow from the request itself.
    static let ownFields = [
        "host", "content-length", "transfer-encoding", "connection", "proxy-connection", "keep-alive", "upgrade", "te",
        "trailer", "expect", "proxy-authorization",
    ]

    /// The number of the response set that it is from.
    var set: Int
    /// The number of the take among those of the set's recorded variant.
    var take: Int
    var method: String
    /// With secrets in the place of placeholders, as all that follows.
    var url: AbsoluteURL
    var headers: [HeaderField]
    /// With its content coding.
    var body: [UInt8]
}

/// The request of a take as far as the cassette says it: with placeholders in the place of secrets.
struct TapedRequest {
    var method: String
    var url: String
    var headers: [HeaderField]
    var body: [UInt8]

    /// Why a request cannot be made from what the cassette says, in words that come after the name of its set.
    struct Problem: Error {
        var description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
