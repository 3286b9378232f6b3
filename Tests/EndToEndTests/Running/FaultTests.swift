import Foundation
import TestShare
import Testing

/// Origins that cannot be reached or break off: recorded, and met again in the replay.
@Suite(.ownThreads) struct FaultTests {
    /// A fault that the client meets on its own connection.
    struct Ending: Sendable, CustomStringConvertible {
        var path: String
        /// curl's exit codes; a reset may reach a client before or after the bytes in front of it.
        var codes: Set<Int32>
        var description: String { self.path }
    }

    @Test(
        .long,
        arguments: [
            Ending(path: "/reset", codes: [56]),
            Ending(path: "/no-answer", codes: [52]),
            Ending(path: "/truncate", codes: [18]),
            Ending(path: "/reset-mid", codes: [18, 56]),
        ]
    )
    func `an answer that breaks off does so in the replay`(_ ending: Ending) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url(ending.path)
        let recording = try folder.serve("record", "x", "--record-faults")
        let live = try folder.curl(recording, "-i", url)
        let report = try recording.stop().errorText
        try origin.stop()
        let replay = try folder.serve("replay", "x")
        let replayed = try folder.curl(replay, "-i", url)
        try replay.stop()
        #expect(ending.codes.contains(live.exitCode), "\(live.exitCode) \(live.errorText)")
        #expect(replayed.exitCode == live.exitCode)
        expectSame(replayed.output, live.output)
        #expect(report.contains("failed: GET \(url): "))
    }

    @Test(
        .long,
        arguments: [("/reset", [56]), ("/no-answer", [52]), ("/truncate", [18, 56])] as [(String, Set<Int32>)]
    )
    func `an answer that breaks off within TLS does so in the replay`(_ path: String, codes: Set<Int32>) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url(path, .https)
        let recording = try folder.serve("record", "x", "--record-faults", "--upstream-ca", origin.authorityPath)
        let live = try folder.curl(recording, url)
        try recording.stop()
        try origin.stop()
        let replay = try folder.serve("replay", "x")
        let replayed = try folder.curl(replay, url)
        try replay.stop()
        #expect(codes.contains(live.exitCode), "\(live.exitCode) \(live.errorText)")
        #expect(replayed.exitCode == live.exitCode, "\(replayed.errorText)")
        expectSame(replayed.output, live.output)
    }

    @Test(arguments: ["/unasked-101", "/not-http"], some(of: Origin.Scheme.allCases))
    func `an invalid HTTP response is a 502, live and in the replay`(
        _ path: String,
        _ scheme: Origin.Scheme
    ) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let url = origin.url(path, scheme)
        let recording = try folder.serve("record", "x", "--record-faults", "--upstream-ca", origin.authorityPath)
        let live = try folder.curl(recording, "-i", url)
        try recording.stop()
        try origin.stop()
        let replay = try folder.serve("replay", "x")
        let replayed = try folder.curl(replay, "-i", url)
        try replay.stop()
        #expect(live.outputText.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"), "\(live.outputText)")
        #expect(live.outputText.contains("malformedResponse"))
        expectSame(replayed.output, live.output)
    }

    @Test func `an origin that hangs up before TLS leaves a valid cassette`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "x", "--record-faults", "--upstream-ca", origin.authorityPath)
        let live = try folder.curl(recording, origin.url("/hang-up", .https))
        try recording.stop()
        #expect(live.exitCode != 0)
        let check = try folder.tapedeck("check", "x")
        #expect(check.exitCode == 0, "\(check.outputText)")
        #expect(try folder.read("cassettes/x.yaml").contains("fault: emptyResponse"))
        try origin.stop()
    }

    /// Records one request that gets an answer of Tapedeck's own, replays it, and returns that.
    private static func failure(
        _ folder: TestFolder,
        _ url: String,
        options: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (output: String, cassette: String, report: String) {
        let recording = try TapedeckProcess(folder, ["record", "x", "--record-faults"] + options)
        let live = try folder.curl(recording, "-i", url)
        let report = try recording.stop().errorText
        let replay = try folder.serve("replay", "x")
        let replayed = try folder.curl(replay, "-i", url)
        try replay.stop()
        #expect(live.exitCode == 0, "\(live.errorText)", sourceLocation: sourceLocation)
        expectSame(replayed.output, live.output, sourceLocation: sourceLocation)
        #expect(live.outputText.contains("\r\nCache-Control: no-store\r\n"), sourceLocation: sourceLocation)
        return (live.outputText, try folder.read("cassettes/x.yaml"), report)
    }

    @Test func `a refused connection is a 502`() throws {
        let failure = try Self.failure(TestFolder(), "http://127.0.0.1:1/x")
        #expect(failure.output.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(failure.output.contains(#""error": "connectionRefused""#), "\(failure.output)")
        #expect(failure.output.contains("GET http://127.0.0.1:1/x"))
        #expect(failure.cassette.contains("fault: connectionRefused"))
        #expect(failure.report.contains("failed: GET http://127.0.0.1:1/x: the connection was refused"))
    }

    @Test func `a name without an address is a 502`() throws {
        let failure = try Self.failure(TestFolder(), "http://no-such-host.invalid/")
        #expect(failure.output.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(failure.output.contains(#""error": "nameNotResolved""#), "\(failure.output)")
        #expect(failure.cassette.contains("fault: nameNotResolved"))
    }

    @Test(.long) func `an origin that stays silent is a 504`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let failure = try Self.failure(folder, origin.url("/hang"), options: ["--read-timeout", "1"])
        #expect(failure.output.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
        #expect(failure.output.contains(#""error": "timeout""#), "\(failure.output)")
        #expect(failure.cassette.contains("fault: timeout"))
    }

    @Test func `a certificate of an unknown authority is a 502 with advice`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let failure = try Self.failure(folder, origin.url("/json", .https))
        #expect(failure.output.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(failure.output.contains(#""error": "tlsHandshake""#), "\(failure.output)")
        #expect(failure.output.contains("the certificate of localhost is not accepted: "))
        #expect(failure.output.contains("--upstream-ca FILE"))
        #expect(failure.output.contains("--insecure-upstream localhost"))
        #expect(failure.cassette.contains("fault: tlsHandshake"))
        #expect(try origin.requests().isEmpty)
    }

    @Test func `a certificate for another host is a 502, also from a known authority`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder, certificateFor: "other.example.com")
        let options = ["--upstream-ca", origin.authorityPath]
        let failure = try Self.failure(folder, origin.url("/json", .https), options: options)
        #expect(failure.output.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(failure.output.lowercased().contains("mismatch"), "\(failure.output)")
    }

    @Test(arguments: [true, false])
    func `naming the authority, or the host as insecure, lifts it`(_ namesAuthority: Bool) throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let options =
            namesAuthority ? ["--upstream-ca", origin.authorityPath] : ["--insecure-upstream", "localhost"]
        let recording = try TapedeckProcess(folder, ["record", "x", "--record-faults"] + options)
        let live = try folder.curl(recording, "-i", origin.url("/json", .https))
        try recording.stop()
        #expect(live.outputText.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(live.outputText)")
    }

    @Test func `a host is insecure on its own`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "x", "--record-faults", "--insecure-upstream", "other.example.com")
        let live = try folder.curl(recording, "-i", origin.url("/json", .https))
        try recording.stop()
        #expect(live.outputText.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
    }

    @Test func `a missing authority file is an error before anything starts`() throws {
        let result = try TestFolder().tapedeck("record", "x", "--upstream-ca", "nowhere.pem", "--", "true")
        #expect(result.exitCode != 0)
        #expect(result.errorText.contains("nowhere.pem"), "\(result.errorText)")
    }

    @Test func `a client that does not trust the deck is named in the log`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "x", "--record-faults")
        let result = try folder.run([
            "curl", "-q", "-sS", "--proxy", recording.url, "--cacert", origin.authorityPath,
            origin.url("/json", .https),
        ])
        #expect(result.exitCode == 60)
        let log = try recording.stop().errorText
        #expect(log.contains("a client does not trust Tapedeck's certificate authority; see `tapedeck ca`"), "\(log)")
        #expect(log.contains("host: localhost"))
    }

    @Test func `a connection that the origin has closed meanwhile is replaced`() throws {
        let folder = try TestFolder()
        let origin = try Origin(in: folder)
        let recording = try folder.serve("record", "x", "--record-faults", "--upstream-ca", origin.authorityPath)
        for scheme in Origin.Scheme.allCases {
            for _ in 0..<5 {
                #expect(try folder.curl(recording, origin.url("/close-after", scheme)).outputText == "and gone\n")
                #expect(try folder.curl(recording, origin.url("/head-me", scheme)).output.count == 1234)
            }
            // One client connection, so that the two requests are as close as possible.
            let urls = [origin.url("/close-after", scheme), origin.url("/echo", scheme)]
            #expect(try folder.run(Curl.through(recording) + urls).outputText == "and gone\nGET /echo\n\n")
        }
        #expect(!(try recording.stop().errorText.contains("failed:")))
    }
}
