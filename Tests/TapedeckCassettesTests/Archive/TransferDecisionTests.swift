import TapedeckCore
import Testing

@testable import TapedeckCassettes

/// The rules for overwriting.
@Suite struct TransferDecisionTests {
    private static let now = Instant(seconds: 1_800_000_000)

    private static func version(_ digest: String, _ seconds: Int64) -> CassetteVersion {
        CassetteVersion(digest: digest, modified: Instant(seconds: seconds), size: 1, files: 1)
    }

    private static func decide(
        _ own: CassetteVersion,
        _ other: CassetteVersion?,
        known: String? = nil,
        clockDifference: Int64 = 0
    ) -> TransferDecision {
        let other = other
        let clocks = TransferDecision.Clocks(now: self.now, other: Instant(seconds: self.now.seconds + clockDifference))
        return TransferDecision(own, over: other, known: known, clocks: clocks)
    }

    @Test func `equal content is unchanged, and a missing cassette is new`() {
        #expect(Self.decide(Self.version("a", 1), nil) == .new)
        #expect(Self.decide(Self.version("a", 1), Self.version("a", 9)) == .same)
    }

    @Test func `times are ignored if the common version is known`() {
        let (old, new) = (Self.version("old", 1_000), Self.version("new", 2_000))
        #expect(Self.decide(old, new, known: "new") == .newer)
        #expect(Self.decide(new, old, known: "new") == .ask(.onlyOtherChanged))
        #expect(Self.decide(new, old, known: "third") == .ask(.bothChanged))
    }

    @Test func `otherwise the later version is newer, unless clock differences could explain it`() {
        let (old, new) = (Self.version("old", 1_000), Self.version("new", 2_000))
        #expect(Self.decide(new, old) == .newer)
        #expect(Self.decide(old, new) == .ask(.otherNewer))
        #expect(Self.decide(new, old, clockDifference: 900) == .newer)
        #expect(Self.decide(new, old, clockDifference: -1_000) == .ask(.unclear))
        #expect(Self.decide(Self.version("a", 1_002), Self.version("b", 1_000)) == .ask(.unclear))
        #expect(Self.decide(Self.version("a", Self.now.seconds + 60), old) == .ask(.unclear))
    }

    @Test func `common versions are stored by deck and name, and kept out of a repository`() throws {
        let folder = try TemporaryFolder()
        let place = ArchiveFolder(folder.path)
        var known = SyncedVersions(of: place, deck: "http://a.test:1")
        known["team/my shop"] = "123"
        try known.save()
        #expect(SyncedVersions(of: place, deck: "http://a.test:1")["team/my shop"] == "123")
        #expect(SyncedVersions(of: place, deck: "http://b.test:1")["team/my shop"] == nil)
        #expect(try folder.text(".tapedeck/.gitignore") == "*\n")
    }
}
