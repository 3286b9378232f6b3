import Foundation
import TestShare
import Testing

/// Record, stop the origin, replay: the client must not be able to tell.
@Suite(.ownThreads) struct RoundTripTests {
    /// Both, or one of them in each run.
    private static let schemes = some(of: Origin.Scheme.allCases)

    @Test(arguments: RoundTripCase.all, Self.schemes)
    func `a replay gives the same bytes as the recording`(_ one: RoundTripCase, scheme: Origin.Scheme) throws {
        let trip = try RoundTrip.of(scheme)
        let live = try #require(trip.live[one.description])
        let replayed = try #require(trip.replayed[one.description])
        for (live, replayed) in zip(live, replayed) {
            #expect(live.exitCode == 0, "\(live.errors)")
            #expect(live.output.starts(with: Data("HTTP/".utf8)))
            #expect(replayed.exitCode == live.exitCode, "\(replayed.errors)")
            expectSame(replayed.output, live.output)
        }
    }

    @Test(arguments: RoundTripCase.all.filter(\.isRepeatable), Self.schemes)
    func `a recording gives the same as the origin itself`(_ one: RoundTripCase, scheme: Origin.Scheme) throws {
        let trip = try RoundTrip.of(scheme)
        let direct = try #require(trip.direct[one.description])
        let live = try #require(trip.live[one.description])
        for (direct, live) in zip(direct, live) {
            #expect(direct.exitCode == 0, "\(direct.errors)")
            expectSame(live.endToEnd, direct.endToEnd)
        }
    }

    @Test(arguments: Self.schemes)
    func `a replay opens no connection and misses nothing`(scheme: Origin.Scheme) throws {
        let trip = try RoundTrip.of(scheme)
        #expect(!trip.originWasUp)
        #expect(trip.replaySummary.contains(" 0 unmatched, 0 connections opened upstream"), "\(trip.replaySummary)")
    }

    @Test(arguments: Self.schemes)
    func `a recorded cassette has no problems`(scheme: Origin.Scheme) throws {
        let trip = try RoundTrip.of(scheme)
        #expect(trip.check.exitCode == 0)
        #expect(trip.check.outputText.contains("no problems"), "\(trip.check.outputText)")
        #expect(!trip.recordSummary.contains("failed:"), "\(trip.recordSummary)")
    }

    @Test func `a redirect chain, trailers and interim answers reach the client`() throws {
        // So that equality above is not that of two empty strings.
        let trip = try RoundTrip.of(try #require(Self.schemes.last))
        func replayed(_ name: String) throws -> String {
            String(decoding: try #require(trip.replayed[name]?.last).output, as: UTF8.self)
        }
        #expect(try replayed("/redirect/3 -L").matches(of: /HTTP\/1\.1 302 Found/).count == 3)
        #expect(try replayed("/trailers").contains("\r\nX-Done: yes\r\n"))
        #expect(try replayed("/early-hints").hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: "))
        #expect(try replayed("/reason").hasPrefix("HTTP/1.1 299 Quite Unusual Reason\r\n"))
        #expect(try replayed("/no-reason").hasPrefix("HTTP/1.1 200 \r\n"))
        #expect(try replayed("the same URL three times, with three answers").hasSuffix("{\"count\":3}"))
        #expect(try replayed("/cookies").contains("X-MiXeD-CaSe: Yes\r\nset-cookie: theme=dark;"))
    }
}
