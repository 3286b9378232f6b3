import Foundation

/// The requests of a round trip: they go directly to the origin, through a recording, and through a replay.
struct RoundTripCase: Sendable, CustomStringConvertible {
    let description: String
    /// The arguments of curl, per request; `{base}` is replaced by the origin.
    private(set) var requests: [[String]]
    /// True if two runs give the same: not with curl's random boundaries.
    var isRepeatable = true

    init(_ description: String, _ requests: [String]..., isRepeatable: Bool = true) {
        self.description = description
        self.requests = requests
        self.isRepeatable = isRepeatable
    }

    /// A request for one path.
    private static func path(_ path: String, _ arguments: String...) -> RoundTripCase {
        RoundTripCase(([path] + arguments).joined(separator: " "), arguments + ["{base}\(path)"])
    }

    /// Bodies in content codings, with and without an offer of them, byte for byte as the origin packs them.
    private static func coded(_ ways: [String]) -> RoundTripCase {
        var one = RoundTripCase("content codings: \(ways.joined(separator: ", "))")
        one.requests = ways.flatMap { way in
            [
                ["-H", "Accept-Encoding: gzip, deflate, br, zstd", "{base}/coded/\(way)?offered"],
                ["{base}/coded/\(way)"],
            ]
        }
        return one
    }

    /// The file that uploads are made from, in the folder of the test.
    static let uploadName = "upload.bin"

    // Each case has URLs of its own, by a query that the origin takes no notice of where the path says too little.
    static let all: [RoundTripCase] = [
        .path("/json"),
        .path("/json-pretty"),
        .path("/gzip?plain"),
        .path("/gzip", "--compressed"),
        .path("/deflate", "--compressed"),
        .path("/gzip-chunked", "--compressed"),
        .path("/brotli-fake"),
        .coded(
            (1...9).flatMap { ["gzip-\($0)", "named-\($0)"] } + [
                "memory-9", "flushed", "members", "twice", "followed", "cut",
            ]
        ),
        .coded((9...15).map { "window-\($0)" } + (1...4).map { "strategy-\($0)" } + ["bare-1", "bare-6", "bare-9"]),
        .coded(["brotli-5", "brotli-11", "zstd-3", "zstd-19", "zstd-stream"]),
        .path("/chunked"),
        .path("/trailers"),
        .path("/until-close"),
        .path("/http10"),
        .path("/json?head", "-I"),
        .path("/head-me", "-I"),
        .path("/chunked?head", "-I"),
        .path("/204"),
        .path("/304", "-H", "If-None-Match: \"version-1\""),
        .path("/304?full"),
        .path("/redirect/3", "-L"),
        .path("/redirect/2?absolute", "-L"),
        .path("/cookies"),
        .path("/reason"),
        .path("/no-reason"),
        .path("/range", "-r", "10-19"),
        .path("/range?tail", "-r", "-5"),
        .path("/range?beyond", "-r", "5000-"),
        .path("/latin1"),
        .path("/bad-utf8"),
        .path("/empty"),
        .path("/status/404"),
        .path("/status/500"),
        .path("/status/429"),
        .path("/early-hints"),
        .path("/binary?size=10485760"),
        .path("/binary?size=1000"),
        .path("/form", "-d", "x=1&y=two words&y=&z=%C3%A9"),
        .path("/form?a=1&b=2&a=3"),
        .path("/continue", "-H", "Expect: 100-continue", "--data-binary", "@\(Self.uploadName)"),
        .path("/upload?chunked", "-X", "POST", "-H", "Transfer-Encoding: chunked", "-T", Self.uploadName),
        .path("/upload?put", "-T", Self.uploadName),
        .path("/upload?delete", "-X", "DELETE"),
        .path("/echo?patch", "-X", "PATCH", "-H", "Content-Type: application/json", "-d", "{\"a\": [1, 2]}"),
        .path("/echo?latin=%E9&encoded=a%2Fb&plus=a+b&empty="),
        RoundTripCase(
            "multipart upload",
            ["-F", "field=value", "-F", "file=@\(Self.uploadName);type=image/png", "{base}/multipart"],
            isRepeatable: false
        ),
        RoundTripCase(
            "the same URL three times, with three answers",
            ["{base}/counter?key=thrice"],
            ["{base}/counter?key=thrice"],
            ["{base}/counter?key=thrice"]
        ),
        RoundTripCase(
            "the same URL with two bodies",
            ["-H", "Content-Type: application/json", "-d", "{\"a\":1}", "{base}/echo?bodies"],
            ["-H", "Content-Type: application/json", "-d", "{\"a\":2}", "{base}/echo?bodies"],
            ["-H", "Content-Type: application/json", "-d", "{\"a\":1}", "{base}/echo?bodies"]
        ),
        RoundTripCase(
            "the same URL with two methods",
            ["{base}/echo?methods"],
            ["-X", "POST", "-d", "body", "{base}/echo?methods"]
        ),
        RoundTripCase(
            "four requests on one connection",
            ["{base}/json?kept", "{base}/chunked?kept", "{base}/empty?kept", "{base}/counter?key=kept"]
        ),
    ]
}
