import TapedeckCassettes
import TapedeckCore
import Testing

/// A recording in which requests failed, or whose command failed: the tape is not worse than before.
@Suite struct FailedRecordingTests {
    private static let large = String(repeating: "a line that is long enough\n", count: 4_000)

    private static func failed(_ number: Int, _ target: String, _ fault: Fault = .nameNotResolved) -> RecordedExchange {
        var exchange = RecordedExchange.made(number, "GET", target, text: "")
        exchange.response = RecordedResponse()
        exchange.response.fault = fault
        return exchange
    }

    /// A cassette with the answers `a` and `b`, the latter in a file, and its text.
    private static func recorded() throws -> (fixture: CassetteFixture, text: String) {
        var fixture = try CassetteFixture()
        fixture.cleans = true
        try fixture.record([.made(1, "GET", "/a", text: "a"), .made(2, "GET", "/b", text: Self.large)])
        #expect(fixture.bodyFiles.count == 1)
        return (fixture, try fixture.text)
    }

    @Test(
        arguments: [
            Fault.nameNotResolved, .connectionRefused, .tlsHandshake, .timeout, .connectionReset, .emptyResponse,
            .truncatedBody, .malformedResponse,
        ]
    )
    func `a failure never replaces an answer, and sets without requests stay`(_ fault: Fault) throws {
        let (fixture, text) = try Self.recorded()
        let saved = try fixture.record([Self.failed(1, "/a", fault)])
        #expect(try fixture.text == text)
        #expect(fixture.bodyFiles.count == 1)
        #expect(!saved.changed)
        #expect(saved.exchanges == 0)
        #expect(saved.lost == 0)
        #expect(saved.effect.kept == ["GET a.test/a"])
        #expect(saved.effect.unreached == ["GET a.test/b"])
        #expect(saved.effect.isAllFailed)
    }

    @Test func `failures replace answers if requested`() throws {
        let (fixture, _) = try Self.recorded()
        let saved = try fixture.record([Self.failed(1, "/a")], purpose: .recordFailures)
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/a"])
        #expect(try fixture.load().responseSets[0].variants[0].takes[0].fault == .nameNotResolved)
        #expect(fixture.files == ["api.yaml"])
        #expect(saved.effect.replaced == ["GET a.test/a"])
        #expect(saved.effect.removed == ["GET a.test/b"])
        #expect(saved.effect.removedFiles.count == 1)
        #expect(!saved.effect.isAllFailed)
    }

    @Test func `failures are not recorded where the tape has no answer, and make no cassette`() throws {
        let fixture = try CassetteFixture()
        let first = try fixture.record([Self.failed(1, "/a"), Self.failed(2, "/b"), Self.failed(3, "/c", .timeout)])
        #expect(first.exchanges == 0)
        #expect(!first.changed)
        #expect(first.effect.isAllFailed)
        #expect(fixture.files.isEmpty)
        #expect(
            first.effect.lines == [
                "not recorded: 2 requests to https://a.test failed: nameNotResolved (--record-faults records failures)",
                "not recorded: 1 request to https://a.test failed: timeout (--record-faults records failures)",
            ]
        )
        let second = try fixture.record([Self.failed(1, "/a"), .made(2, "GET", "/b", text: "b")])
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/b"])
        #expect(second.lost == 0)
        #expect(!second.effect.isAllFailed)
        #expect(second.effect.failures.map(\.count) == [1])
        let third = try fixture.record([Self.failed(1, "/a")])
        #expect(third.effect.isAllFailed)
        #expect(try fixture.load().responseSets.map(\.name) == ["GET a.test/b"])
    }

    @Test func `failures are recorded on purpose`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.failed(1, "/a")], purpose: .recordFailures)
        try fixture.record([Self.failed(1, "/a", .timeout)], purpose: .recordFailures)
        #expect(try fixture.load().responseSets[0].variants[0].takes.map(\.fault) == [.timeout])
    }

    @Test func `a set is replaced whole or not at all, and leaves no body file`() throws {
        let (fixture, text) = try Self.recorded()
        let saved = try fixture.record([
            Self.failed(1, "/a"), .made(2, "GET", "/a", text: Self.large + "!"),
            .made(3, "GET", "/b", text: Self.large),
            .made(4, "GET", "/c", text: "c"),
        ])
        #expect(try fixture.bodies(of: "GET a.test/a") == ["a"])
        #expect(try fixture.bodies(of: "GET a.test/c") == ["c"])
        #expect(fixture.bodyFiles.count == 1)
        #expect(saved.exchanges == 2)
        #expect(saved.effect.unwritten == 2)
        #expect(!saved.effect.isAllFailed)
        #expect(try fixture.text != text)
    }

    @Test func `a failure that is on tape at the same place is recorded again`() throws {
        let fixture = try CassetteFixture()
        try fixture.record([Self.failed(1, "/a"), .made(2, "GET", "/a", text: "one")])
        let saved = try fixture.record([Self.failed(1, "/a"), .made(2, "GET", "/a", text: "two")])
        #expect(saved.effect.kept.isEmpty)
        #expect(try fixture.load().responseSets[0].variants[0].takes.map(\.fault) == [.nameNotResolved, nil])
        // Behind the last take the last one counts, as it repeats.
        let more = try fixture.record([
            Self.failed(1, "/a"), .made(2, "GET", "/a", text: "two"), Self.failed(3, "/a"),
        ])
        #expect(more.effect.kept == ["GET a.test/a"])
    }

    @Test func `after a failed command, sets without requests stay`() throws {
        let (fixture, _) = try Self.recorded()
        let failed = try fixture.record([.made(1, "GET", "/a", text: "new")], commandFailed: true)
        #expect(try fixture.bodies(of: "GET a.test/a") == ["new"])
        #expect(try fixture.bodies(of: "GET a.test/b") == [Self.large])
        #expect(failed.effect.replaced == ["GET a.test/a"])
        #expect(failed.effect.unreached == ["GET a.test/b"])
        #expect(failed.effect.lines.contains { $0.contains("as the command failed: GET a.test/b") })
        let worked = try fixture.record([.made(1, "GET", "/a", text: "new")])
        #expect(worked.effect.replaced.isEmpty)
        #expect(worked.effect.removed == ["GET a.test/b"])
        #expect(worked.effect.removedFiles.count == 1)
        #expect(fixture.files == ["api.yaml"])
    }

    @Test func `an answer that differs only in its times is not reported as replaced`() throws {
        let fixture = try CassetteFixture()
        func answer(_ date: String, _ time: Int) -> RecordedExchange {
            .made(1, "GET", "/a", headers: [HeaderField("Date", date)], text: "a", time: time)
        }
        try fixture.record([answer("Sat, 21 Nov 2026 10:00:00 GMT", 1_795_255_200)])
        let saved = try fixture.record([answer("Sat, 21 Nov 2026 11:00:00 GMT", 1_795_258_800)])
        #expect(saved.changed)
        #expect(saved.effect == RecordingEffect())
    }

    @Test func `a failure in an interrupted recording does not replace an answer`() throws {
        let (fixture, text) = try Self.recorded()
        try fixture.interrupt([Self.failed(1, "/a")])
        #expect(try fixture.store.recover(fixture.location)?.effect.kept == ["GET a.test/a"])
        #expect(try fixture.text == text)
        try fixture.interrupt([Self.failed(1, "/a")], .recordFailures)
        #expect(try fixture.store.recover(fixture.location)?.effect.replaced == ["GET a.test/a"])
    }

    @Test func `long lists of names are cut`() {
        var effect = RecordingEffect()
        effect.removed = (1...12).map { "set \($0)" }
        #expect(effect.lines.count == 1)
        #expect(effect.lines[0].hasPrefix("removed 12 response sets "))
        #expect(effect.lines[0].hasSuffix("set 9, set 10 and 2 more"))
    }
}
