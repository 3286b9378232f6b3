import TapedeckCore

/// Distinguishes header fields that describe an API from those that describe the path of an answer.
enum HeaderNoise {
    /// They follow from something else that is compared, or are another each time.
    private static let meaningless: Set<String> = [
        "date", "age", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "trailer",
    ]

    /// They come from caches and gateways in front of an API, and come and go with which of them answered.
    private static let passing: Set<String> = [
        "via", "x-cache", "x-cache-hits", "x-served-by", "x-timer", "x-request-id", "x-correlation-id", "x-trace-id",
        "traceparent", "tracestate", "server-timing", "x-runtime", "x-response-time", "alt-svc", "nel", "report-to",
        "reporting-endpoints", "server", "x-powered-by", "content-encoding", "vary", "expires", "last-modified",
        "retry-after", "warning", "x-amzn-requestid", "x-amzn-trace-id", "x-amz-request-id", "x-amz-id-2",
    ]

    private static let passingPrefixes = ["cf-", "x-amz-cf-", "x-fastly-", "x-varnish", "x-envoy-", "x-b3-", "fly-"]

    /// The names that are compared, in lower case, each once, in their order.
    static func names(of fields: [HeaderField]) -> [String] {
        var seen = Self.meaningless
        return fields.map { ASCII.lowercased($0.name) }.filter { seen.insert($0).inserted }
    }

    /// Returns true if the presence of a field means nothing for the API.
    static func comesAndGoes(_ name: String) -> Bool {
        Self.passing.contains(name) || Self.passingPrefixes.contains { name.hasPrefix($0) }
    }
}
