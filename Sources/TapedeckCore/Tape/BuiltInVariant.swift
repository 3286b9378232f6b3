import TapedeckProtobuf

/// A variant that every response set has without writing it down. A set that has one of the same name plays its own.
package enum BuiltInVariant: String, Sendable, CaseIterable {
    /// The connection is reset; a URLSession reports that there is no network.
    case offline
    /// The selected answer, after one to three seconds.
    case slow
    /// The selected answer, but every fifth request or so has its connection reset, by the session's seed.
    case flaky
    case serverError = "server-error"
    case rateLimited = "rate-limited"
    case unauthorized

    /// True if it modifies the answer that would play without it, instead of replacing it.
    package var isWrapper: Bool { self == .slow || self == .flaky }

    /// Its answer; `nil` for a wrapper.
    package var take: Take? {
        switch self {
        case .offline: Take(fault: .connectionReset, urlError: .notConnectedToInternet)
        case .slow, .flaky: nil
        case .serverError: Self.error(500, "internal server error")
        case .rateLimited: Self.error(429, "too many requests", HeaderField("Retry-After", "1"))
        case .unauthorized: Self.error(401, "unauthorized", HeaderField("WWW-Authenticate", "Bearer"))
        }
    }

    /// Its answer to a call of gRPC; `nil` for a wrapper.
    package var callTake: Take? {
        switch self {
        case .offline: Take(.unavailable, "the network is down")
        case .slow, .flaky: nil
        case .serverError: Take(.internal, "internal server error")
        case .rateLimited: Take(.resourceExhausted, "too many requests")
        case .unauthorized: Take(.unauthenticated, "unauthorized")
        }
    }

    private static func error(_ status: Int, _ message: String, _ headers: HeaderField...) -> Take {
        let json = JSONText.object([("error", .string(message))]).compact
        return Take(
            status: status,
            headers: [HeaderField("Content-Type", "application/json")] + headers,
            body: .inline(InlineBody(form: .json, content: Array(json.utf8)))
        )
    }
}

extension ResponseSet {
    /// The built-in variant that plays unless another is selected.
    package var selectedBuiltIn: BuiltInVariant? {
        guard let selected = self.selected, !self.variants.contains(where: { $0.name == selected }) else { return nil }
        return BuiltInVariant(rawValue: selected)
    }
}
