import TapedeckCassettes
import TapedeckCore
import Testing

/// Results of git's merge driver for three versions of a cassette.
@Suite struct ThreeWayMergeTests {
    private static func set(_ name: String, _ status: Int = 200) -> String {
        """
          - name: \(name)
            request: { url: https://a.test/\(name) }
            variants:
              - name: recorded
                takes:
                  - status: \(status)

        """
    }

    private static func cassette(_ sets: String..., settings: String = "", end: String = "") -> [UInt8] {
        Array("tapedeck: 1\n\(settings)responseSets:\n\(sets.joined(separator: "\n"))\(end)".utf8)
    }

    private static func merge(_ base: [UInt8], _ ours: [UInt8], _ theirs: [UInt8]) -> ThreeWayMerge.Outcome {
        ThreeWayMerge.merge(base: base, ours: ours, theirs: theirs, path: "a.yaml")
    }

    @Test func `sets that both branches have added are kept`() {
        let base = Self.cassette(Self.set("a"), Self.set("z"))
        let ours = Self.cassette(Self.set("a"), Self.set("b"), Self.set("z"))
        let theirs = Self.cassette(Self.set("a"), Self.set("c"), Self.set("z"), Self.set("zz"))
        let expected = Self.cassette(Self.set("a"), Self.set("c"), Self.set("b"), Self.set("z"), Self.set("zz"))
        #expect(Self.merge(base, ours, theirs) == .merged(expected))
    }

    @Test func `a change and a removal of one branch are made`() {
        let base = Self.cassette(Self.set("a"), Self.set("b"), Self.set("c"))
        let ours = Self.cassette(Self.set("a", 201), Self.set("b"), Self.set("c"))
        let theirs = Self.cassette(Self.set("a"), Self.set("c", 404))
        #expect(Self.merge(base, ours, theirs) == .merged(Self.cassette(Self.set("a", 201), Self.set("c", 404))))
        #expect(Self.merge(base, theirs, ours) == .merged(Self.cassette(Self.set("a", 201), Self.set("c", 404))))
    }

    @Test func `the same change of both is made once`() {
        let base = Self.cassette(Self.set("a"))
        let both = Self.cassette(Self.set("a"), Self.set("b"))
        #expect(Self.merge(base, both, both) == .merged(both))
    }

    @Test func `a cassette that both branches have made has the sets of both`() {
        let (ours, theirs) = (Self.cassette(Self.set("a"), Self.set("b")), Self.cassette(Self.set("a"), Self.set("c")))
        let merged = Self.cassette(Self.set("a"), Self.set("c"), Self.set("b"))
        #expect(Self.merge([], ours, theirs) == .merged(merged))
    }

    @Test func `settings come from the branch that changed them`() {
        let base = Self.cassette(Self.set("a"))
        let ours = Self.cassette(Self.set("a"), Self.set("b"))
        let theirs = Self.cassette(Self.set("a"), settings: "ignore: { query: [t] }\n")
        let merged = Self.cassette(Self.set("a"), Self.set("b"), settings: "ignore: { query: [t] }\n")
        // A file with one set does not say whether empty lines are between them.
        func lines(_ outcome: ThreeWayMerge.Outcome) -> [Substring] {
            guard case .merged(let text) = outcome else { return [] }
            return String(decoding: text, as: UTF8.self).split(separator: "\n")
        }
        #expect(lines(Self.merge(base, ours, theirs)) == lines(.merged(merged)))
        #expect(lines(Self.merge(base, theirs, ours)) == lines(.merged(merged)))
    }

    @Test func `secrets of both are kept`() throws {
        let base = Self.cassette(Self.set("a"))
        let ours = Self.cassette(Self.set("a"), Self.set("b"), settings: "secrets:\n  one: { shape: a16 }\n")
        let theirs = Self.cassette(Self.set("a"), Self.set("c"), settings: "secrets:\n  two: { shape: a32 }\n")
        guard case .merged(let text) = Self.merge(base, ours, theirs) else {
            Issue.record("a conflict")
            return
        }
        let read = CassetteReader.read(text, name: "a", path: "a.yaml")
        #expect(Set(read.cassette.secrets.map(\.name)) == ["one", "two"])
        #expect(read.cassette.responseSets.map(\.name).sorted() == ["a", "b", "c"])
    }

    @Test func `different changes of one set are a conflict that names it`() {
        let base = Self.cassette(Self.set("a"), Self.set("b"))
        let ours = Self.cassette(Self.set("a", 201), Self.set("b"))
        let conflict = ThreeWayMerge.Outcome.conflict([#"the response set "a""#])
        #expect(Self.merge(base, ours, Self.cassette(Self.set("a", 202), Self.set("b"))) == conflict)
        #expect(Self.merge(base, ours, Self.cassette(Self.set("b"))) == conflict)
        #expect(Self.merge(base, Self.cassette(Self.set("b")), ours) == conflict)
    }
}
