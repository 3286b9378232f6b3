import TapedeckCore
import Testing

/// Only the dates of a response move.
@Suite
struct ResponseDatesTests {
    private static let day: Int64 = 86_400_000

    @Test func movesTheDatesOfTheHeader() {
        let fields = [
            HeaderField("date", "Sat, 21 Nov 2026 10:09:08 GMT"), HeaderField("Expires", "0"),
            HeaderField("EXPIRES", "Sat, 21 Nov 2026 10:09:08 GMT"), HeaderField("Last-Modified", "2026-11-21"),
            HeaderField("X-Date", "2026-11-21"), HeaderField("Date", "-1"),
        ]
        let expected = [
            HeaderField("date", "Sun, 22 Nov 2026 10:09:08 GMT"), HeaderField("Expires", "0"),
            HeaderField("EXPIRES", "Sun, 22 Nov 2026 10:09:08 GMT"), HeaderField("Last-Modified", "2026-11-22"),
            HeaderField("X-Date", "2026-11-21"), HeaderField("Date", "-1"),
        ]
        #expect(ResponseDates.shift(fields, byMilliseconds: Self.day) == expected)
    }

    @Test(
        arguments: [
            (
                "a=b; Expires=Sat, 21-Nov-2026 10:09:08 GMT; Path=/;; HttpOnly",
                "a=b; Expires=Sun, 22-Nov-2026 10:09:08 GMT; Path=/;; HttpOnly"
            ),
            ("a=b;expires = Sat, 21 Nov 2026 10:09:08 GMT ;x", "a=b;expires = Sun, 22 Nov 2026 10:09:08 GMT ;x"),
            ("expires=2026-11-21; path=/", "expires=2026-11-21; path=/"), ("a=b; Expires=0", "a=b; Expires=0"),
            ("a=b; Expires=", "a=b; Expires="), ("a=b; Expires", "a=b; Expires"), ("", ""),
            ("a=2026-11-21", "a=2026-11-21"),
        ] as [(String, String)]
    )
    func movesTheExpiryOfACookie(_ value: String, _ expected: String) {
        let fields = ResponseDates.shift([HeaderField("Set-Cookie", value)], byMilliseconds: Self.day)
        #expect(fields == [HeaderField("Set-Cookie", expected)])
    }

    @Test func movesTheSelectedDatesInJSON() throws {
        let body =
            #"{"at": "2026-11-21T10:09:08.5Z", "s": 1795255748, "ms": 1795255748007, "id": 5, "ts": "1795255748.01"}"#
        let expected = #"{"at":"2026-11-22T10:09:08.5Z","s":1795342148,"ms":1795342148007,"id":5,"ts":"1795342148.01"}"#
        let paths = try ["$.at", "$.s", "$.ms", "$.id", "$.ts", "$.none"].map { try JSONPath($0) }
        let json = try JSONValue(parsing: Array(body.utf8))
        let shifted = ResponseDates.shift(json, at: paths, byMilliseconds: Self.day)
        #expect(String(decoding: shifted.text(), as: UTF8.self) == expected)
        #expect(ResponseDates.shift(json, at: [], byMilliseconds: Self.day) == json)
    }
}
