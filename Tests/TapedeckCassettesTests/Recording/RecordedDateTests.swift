import TapedeckCassettes
import TapedeckCore
import Testing

/// A `Date` changes with every recording of the same traffic, and is in the file once, in `recorded`.
@Suite struct RecordedDateTests {
    private static func cassette(date: String, recorded: String = "2026-11-21T10:00:00Z") -> Cassette {
        let take = Take(headers: [HeaderField("Date", date), HeaderField("X-Other", date)], recorded: recorded)
        let url = AbsoluteURL("https://api.example.com/")
        let request = RequestMatcher(methods: ["GET"], url: url.map { .exact($0) } ?? .any)
        let set = ResponseSet(name: "a", request: request, variants: [Variant(name: "recorded", takes: [take])])
        return Cassette(name: "dates", path: "dates.yaml", responseSets: [set])
    }

    @Test(arguments: [
        ("Sat, 21 Nov 2026 10:00:00 GMT", "recorded"),
        ("Sat, 21 Nov 2026 10:00:01 GMT", "Sat, 21 Nov 2026 10:00:01 GMT"),
        ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"),
    ])
    func `A date equal to the time of the recording is noted as such, and plays as received`(
        date: String,
        written: String
    ) {
        let cassette = Self.cassette(date: date)
        let text = CassetteWriter.text(of: cassette)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.contains("- Date: ") }
        #expect(lines.count == 1)
        #expect(
            lines.allSatisfy { $0.replacing("'", with: "").replacing("\"", with: "").hasSuffix("- Date: \(written)") }
        )
        let read = CassetteReader.read(text, name: "dates", path: "dates.yaml")
        #expect(read.diagnostics.isEmpty)
        #expect(read.cassette.responseSets == cassette.responseSets)
    }

    @Test func `A recording takes its time from the answer's date, unless that is far off`() {
        let end = Instant(seconds: 1_795_255_200)
        let near = [HeaderField("date", Instant(seconds: end.seconds - 2).text(.http))]
        let far = [HeaderField("date", Instant(seconds: end.seconds - 3_600).text(.http))]
        #expect(Take.timeRecorded(near, end: end).seconds == end.seconds - 2)
        #expect(Take.timeRecorded(far, end: end) == end)
        #expect(Take.timeRecorded([], end: end) == end)
    }
}
