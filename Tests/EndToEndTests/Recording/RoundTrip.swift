import Foundation
import Testing

/// One recording and one replay of all cases, shared by all tests that examine it.
struct RoundTrip: Sendable {
    /// The output and exit code of curl, per request.
    struct Outcome: Sendable {
        var exitCode: Int32
        var output: Data
        var errors: String
    }

    private(set) var direct: [String: [Outcome]] = [:]
    private(set) var live: [String: [Outcome]] = [:]
    private(set) var replayed: [String: [Outcome]] = [:]
    let recordSummary: String
    let replaySummary: String
    let check: Program.Result
    /// True if the origin could still be reached when the replay began.
    let originWasUp: Bool

    static let plain = Result { try RoundTrip(.http) }
    static let secure = Result { try RoundTrip(.https) }

    static func of(_ scheme: Origin.Scheme) throws -> RoundTrip {
        try (scheme == .http ? self.plain : self.secure).get()
    }

    private init(_ scheme: Origin.Scheme) throws {
        let folder = try TestFolder()
        try folder.redactNothing()
        try folder.write(
            Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }),
            to: RoundTripCase.uploadName
        )
        let origin = try Origin(in: folder)
        self.direct = try Self.run(Curl.direct(origin), origin.base(scheme), folder)
        try origin.reset()

        let recording = try folder.serve("record", "all", "--upstream-ca", origin.authorityPath)
        self.live = try Self.run(Curl.through(recording), origin.base(scheme), folder)
        self.recordSummary = try recording.stop().errorText
        try origin.stop()
        self.originWasUp = RawConnection.isOpen(port: origin.port(scheme))

        let replay = try folder.serve("replay", "all")
        self.replayed = try Self.run(Curl.through(replay), origin.base(scheme), folder)
        self.replaySummary = try replay.stop().errorText
        self.check = try folder.tapedeck("check", "all")
    }

    private static func run(_ curl: [String], _ base: String, _ folder: TestFolder) throws -> [String: [Outcome]] {
        var outcomes: [String: [Outcome]] = [:]
        for one in RoundTripCase.all {
            outcomes[one.description] = try one.requests.map { arguments in
                let arguments = arguments.map { $0.replacing("{base}", with: base) }
                let result = try folder.run(curl + ["-i"] + arguments)
                return Outcome(exitCode: result.exitCode, output: result.output, errors: result.errorText)
            }
        }
        return outcomes
    }
}

extension RoundTrip.Outcome {
    /// The parts that must be equal with and without a proxy: all but the fields that end at each hop, and the version,
    /// which belongs to each hop.
    var endToEnd: Data {
        let hopByHop = ["connection:", "keep-alive:", "transfer-encoding:"]
        var (result, rest) = (Data(), self.output)
        // Interim answers and redirects have heads of their own.
        while rest.starts(with: Data("HTTP/".utf8)), let end = rest.range(of: Data("\r\n\r\n".utf8)) {
            // ISO 8859-1 loses no byte.
            let head = String(data: rest[..<end.lowerBound], encoding: .isoLatin1) ?? ""
            let lines = head.components(separatedBy: "\r\n")
                .filter { line in !hopByHop.contains { line.lowercased().hasPrefix($0) } }
                .map { $0.hasPrefix("HTTP/1.0 ") ? "HTTP/1.1 " + $0.dropFirst(9) : $0 }
            result += Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            rest = rest[end.upperBound...]
        }
        return result + rest
    }
}
