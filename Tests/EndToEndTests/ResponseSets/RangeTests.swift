import Foundation
import Testing

/// Ranges and conditions: each request gets just its own bytes, whatever was recorded.
@Suite(.ownThreads) struct RangeTests {
    private let folder: TestFolder
    private let origin: Origin
    private let url: String
    private let whole: Data

    init() throws {
        self.folder = try TestFolder()
        self.origin = try Origin(in: self.folder)
        self.url = self.origin.url("/ranged?size=3000000")
        self.whole = try self.folder.run(["curl", "-q", "-sS", "--noproxy", "*", self.url]).output
        try #require(self.whole.count == 3_000_000)
    }

    private func run(_ mode: String, _ curls: [String]...) throws -> Program.Result {
        let script = curls.map { (["curl", "-q", "-sS"] + $0 + ["'\(self.url)'"]).joined(separator: " ") }
        return try self.folder.tapedeck([mode, "x", "--", "sh", "-c", script.joined(separator: "; ")])
    }

    private func bytes(_ range: ClosedRange<Int>) -> Data {
        self.whole.subdata(in: range.lowerBound..<range.upperBound + 1)
    }

    @Test func `a file loaded in parts is loaded in other parts and as a whole`() throws {
        #expect(
            try self.run("record", ["-r", "0-999999"], ["-r", "1000000-1999999"], ["-r", "2000000-"]).exitCode == 0
        )
        let parts = try self.run("replay", ["-r", "0-1499999"], ["-r", "1500000-2999999"])
        #expect(parts.exitCode == 0, "\(parts.errorText)")
        expectSame(parts.output, self.whole)
        let whole = try self.run("replay", ["-w", "'%{stderr}%{http_code}'"])
        expectSame(whole.output, self.whole)
        #expect(whole.errorText.hasPrefix("200"))
        expectSame(try self.run("replay", ["-r", "-17"]).output, self.bytes(2_999_983...2_999_999))
    }

    @Test func `a file loaded whole is loaded in parts`() throws {
        #expect(try self.run("record", []).exitCode == 0)
        let parts = try self.run("replay", ["-r", "0-4"], ["-r", "2500000-"])
        expectSame(parts.output, self.bytes(0...4) + self.bytes(2_500_000...2_999_999))
        let several = try self.run("replay", ["-r", "0-1,5-6", "-D", "head.txt"]).output
        let head = try self.folder.read("head.txt")
        #expect(head.contains("206") && head.contains("multipart/byteranges"), "\(head)")
        #expect(String(decoding: several, as: Unicode.ASCII.self).contains("bytes 5-6/3000000"))
        #expect(
            try self.run("replay", ["-o", "/dev/null", "-w", "'%{http_code}'", "-r", "3000000-"]).outputText == "416"
        )
    }

    @Test func `a part answers no other range, and no request without one`() throws {
        #expect(try self.run("record", ["-r", "0-4"]).exitCode == 0)
        for options in [["-r", "3-6"], []] {
            let missed = try self.run("replay", options)
            #expect(missed.exitCode == 70, "\(missed.errorText)")
            #expect(missed.outputText.contains("unmatched"))
            #expect(missed.errorText.contains("the tape has no answer to a request"), "\(missed.errorText)")
        }
        #expect(try self.run("append", ["-r", "5-9"]).errorText.contains("1 exchange recorded"))
        expectSame(try self.run("replay", ["-r", "3-6"]).output, self.bytes(3...6))
    }

    @Test func `a 304 answers only a request with a condition`() throws {
        let condition = ["-H", "'If-None-Match: \"v1\"'", "-w", "'%{http_code}'"]
        #expect(try self.run("record", condition).outputText == "304")
        #expect(try self.run("replay", condition).outputText == "304")
        #expect(try self.run("replay", []).exitCode == 70)
        expectSame(try self.run("append", []).output, self.whole)
        expectSame(try self.run("replay", []).output, self.whole)
        #expect(try self.run("replay", condition).outputText == "304")
    }
}
