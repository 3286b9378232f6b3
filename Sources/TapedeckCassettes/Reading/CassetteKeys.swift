import TapedeckCore

/// The words of the cassette format, in one place.
package enum CassetteKeys {
    static let formatVersion = 1

    static let top = [
        "tapedeck", "about", "match", "ignore", "redact", "secrets", "time", "delay", "streams", "state", "maxAge",
        "descriptors", "values", "responseSets", "profiles",
    ]
    static let maxAge = ["after", "then"]
    package static let ignore = IgnoredPlace.Kind.allCases.map(\.rawValue)
    static let time = ["shift", "json"]
    static let redact = ["off", "on", "rules"]
    /// A rule has one of these.
    static let redactionPlace = ["header", "query", "json", "form", "pattern", "environment"]
    static let redactionRule = Self.redactionPlace + ["name", "id", "ignoreCase"]
    static let secret = ["shape", "header", "claims", "environment"]

    static let set = ["name", "request", "varies", "variants", "priority", "requires", "sets", "selected"]

    // MARK: Requests

    static let request = [
        "method", "url", "urlTemplate", "urlPattern", "host", "hostPattern", "query", "otherQuery", "headers",
        "cookies", "body", "grpc", "messages", "state", "all", "any", "not",
    ]
    static let pattern = ["pattern", "ignoreCase"]
    static let value = [
        "equals", "values", "oneOf", "contains", "prefix", "suffix", "pattern", "ignoreCase", "greaterThan", "lessThan",
        "present", "absent", "not",
    ]
    static let jsonTest = Self.value + ["count", "type"]
    /// Each is a condition of its own.
    static let requestBody = [
        "text", "pattern", "json", "jsonSubset", "jsonPath", "xml", "form", "multipart", "graphql", "base64",
        "sha256",
    ]
    /// Keys that modify `json`; the first one modifies `xml`, too.
    static let requestJSON = ["ignore", "ignoreArrayOrder", "layout"]
    /// A condition on one message of a call.
    static let requestMessage = [
        "json", "jsonSubset", "jsonPath", "proto", "base64", "ignore", "ignoreArrayOrder", "more",
    ]
    static let part = ["content", "filename", "contentType"]
    static let graphQL = ["operation", "variables"]

    // MARK: Answers

    /// A behaviour has one of these.
    static let answer = [
        "takes", "fault", "empty", "grpcStatus", "sequence", "random", "when", "variant", "passthrough",
    ]
    /// The key of a holding variant, in sets that are added to a session. Files do not have it, because their requests
    /// would wait for ever.
    static let hold = "hold"
    static let behaviour =
        Self.answer + [
            "then", "otherwise", "after", "delay", "bandwidth", "dribble", "template", "merge", "fuzz", "sets",
            "urlError", "grpcMessage", "grpcDetails",
        ]
    static let dribble = ["pieces", "over"]
    static let take = [
        "status", "times", "reason", "interim", "headers", "body", "messages", "grpcStatus", "grpcMessage",
        "grpcDetails", "trailers", "endsAfter", "endsAtClose", "protocol", "pieces", "fault", "urlError", "detail",
        "recorded", "request",
    ]
    static let fault = ["name"] + FaultOptions.Key.allCases.map(\.rawValue)
    /// A message of a call.
    static let message = ["json", "proto", "base64", "trailers", "end", "encoding", "encoded", "compressed", "after"]
    static let pieces = ["cut", "every"]
    static let interim = ["status", "reason", "headers"]
    static let takeRequest = ["url", "headers", "body", "messages"]
    static let body = ["text", "json", "base64", "file", "layout", "encoding", "encoded", "keepsEncoding"]
    static let deflate = ["level", "memory", "window", "strategy", "flushes", "bare"]
    static let gzip =
        Array(Self.deflate.dropLast()) + ["name", "time", "extraFlags", "system", "comment", "extra"]
    static let br = ["quality", "window"]
    static let zstd = ["level", "checksum", "size"]

    // MARK: JSON

    /// The keys that a response set may have in JSON in place of `variants`: those of takes and behaviours that are not a
    /// response set's own, as `request` and `sets` are.
    static let stub = (Self.take + Self.behaviour + [Self.hold]).filter { !Self.set.contains($0) }
    /// All keys of a response set in JSON.
    static let setOfJSON = Self.set + Self.stub
}
