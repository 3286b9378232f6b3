import TapedeckCore
import TapedeckMaintenance
import Testing

@Suite struct LineDiffTests {
    @Test func `removed and added lines are reported in place, the others are not`() {
        let lines = LineDiff.lines(from: "one\ntwo\nthree\nfour", to: "one\n2\nthree\nfour\nfive")
        #expect(lines == ["- two", "+ 2", "+ five"])
    }

    @Test func `texts that are the same have no differing lines`() {
        #expect(LineDiff.lines(from: "one\ntwo", to: "one\ntwo").isEmpty)
        #expect(LineDiff.lines(from: "", to: "").isEmpty)
    }

    @Test func `a long difference is cut, with the number of further lines`() {
        let old = (0..<100).map { "old \($0)" }.joined(separator: "\n")
        let lines = LineDiff.lines(from: old, to: "new", limit: 3)
        #expect(lines == ["- old 0", "- old 1", "- old 2", "… and 98 more lines"])
    }

    @Test func `texts too long to be searched are reported as one piece`() {
        let old = (0..<3_000).map { "line \($0)" }
        let new = old.map { $0 == "line 10" ? "changed" : $0 }
        let lines = LineDiff.lines(from: old.joined(separator: "\n"), to: new.joined(separator: "\n"))
        #expect(lines == ["- line 10", "+ changed"])
        let reversed = LineDiff.lines(from: old.joined(separator: "\n"), to: old.reversed().joined(separator: "\n"))
        #expect(reversed.count == 41)
    }
}
