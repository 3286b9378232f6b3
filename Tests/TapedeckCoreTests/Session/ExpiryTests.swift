import Testing

@testable import TapedeckCore

/// Parts of answers that have expired since they were recorded.
@Suite struct ExpiryTests {
    private static let now = Instant(rfc3339: "2026-11-29T12:00:00Z")

    private static func take(_ json: String) -> Take {
        Take(
            body: .inline(InlineBody(form: .json, content: Array(json.utf8))),
            recorded: "2026-11-01T12:00:00Z"
        )
    }

    @Test(arguments: [
        (
            "lang=de; Path=/; Expires=Mon, 02 Nov 2026 12:00:00 GMT",
            "lang=de; Path=/; Expires=Mon, 30 Nov 2026 12:00:00 GMT"
        ),
        ("lang=de; expires=Mon, 02-Nov-2026 12:00:00 GMT", "lang=de; expires=Mon, 30-Nov-2026 12:00:00 GMT"),
        // To be deleted, and valid for a span.
        ("lang=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil),
        ("lang=de; Max-Age=60; Expires=Mon, 02 Nov 2026 12:00:00 GMT", nil), ("lang=de", nil),
    ])
    func `a cookie stays valid for as long as it was`(_ cookie: String, _ renewed: String?) throws {
        let now = try #require(Self.now)
        let recorded = try #require(Instant(rfc3339: "2026-11-01T12:00:00Z"))
        let fields = [HeaderField("Set-Cookie", cookie), HeaderField("X", "y")]
        let end = renewed == nil ? nil : Instant(rfc3339: "2026-11-02T12:00:00Z")
        #expect(ResponseDates.firstCookieEnd(fields, recorded: recorded) == end)
        let later = HeaderField("Set-Cookie", "later=1; Expires=Mon, 30 Nov 2027 12:00:00 GMT")
        #expect(ResponseDates.renewCookies([later], recorded: recorded, now: now) == [later])
        let found = ResponseDates.renewCookies(fields, recorded: recorded, now: now)
        #expect(found == [HeaderField("Set-Cookie", renewed ?? cookie), HeaderField("X", "y")])
    }

    @Test(arguments: [
        (#"{"expires_at":"2026-11-02T00:00:00Z"}"#, "$.expires_at"), (#"{"expiresOn":1793620800}"#, "$.expiresOn"),
        (#"{"token":{"expiry":1793620800000}}"#, "$.token.expiry"), (#"{"expires_in":3600}"#, nil),
        (#"{"expires_at":"2025-01-01T00:00:00Z"}"#, nil), (#"{"expires_at":"2027-01-01T00:00:00Z"}"#, nil),
        (#"{"created_at":"2026-11-02T00:00:00Z"}"#, nil),
    ])
    func `a time in JSON passes`(_ json: String, _ place: String?) throws {
        let now = try #require(Self.now)
        let expiry = Self.take(json).expiry(at: now, TimeRules(shifts: true))
        #expect(expiry?.place == place)
        guard let place else { return }
        #expect(expiry?.remedy == "time: { shift: true, json: [\(place)] }")
        let moved = TimeRules(shifts: true, jsonDates: [try JSONPath(place)])
        #expect(Self.take(json).expiry(at: now, moved) == nil)
    }
}
