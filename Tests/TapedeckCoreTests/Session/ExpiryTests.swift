import Testing

@testable import TapedeckCore

/// Parts of answers that have expired since they were recorded.
@Suite struct ExpiryTests {
    private static let now = Instant(rfc3339: "2026-11-29T12:00:00Z")

    private static func take(
        cookie: String? = nil,
        json: String? = nil,
        recorded: String? = "2026-11-01T12:00:00Z"
    ) -> Take {
        Take(
            headers: cookie.map { [HeaderField("Set-Cookie", $0)] } ?? [],
            body: json.map { .inline(InlineBody(form: .json, content: Array($0.utf8))) } ?? .none,
            recorded: recorded
        )
    }

    @Test(arguments: [
        ("lang=de; Path=/; Expires=Mon, 02 Nov 2026 12:00:00 GMT", true),
        ("lang=de; expires=Mon, 02-Nov-2026 12:00:00 GMT", true),
        // To be deleted, still valid, and valid for a span.
        ("lang=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", false),
        ("lang=de; Expires=Mon, 30 Nov 2026 12:00:00 GMT", false),
        ("lang=de; Max-Age=60; Expires=Mon, 02 Nov 2026 12:00:00 GMT", false), ("lang=de", false),
    ])
    func `a cookie ends`(_ cookie: String, _ isOver: Bool) throws {
        let now = try #require(Self.now)
        let expiry = Self.take(cookie: cookie).expiry(at: now, TimeRules())
        #expect((expiry?.place == "the cookie lang") == isOver)
        #expect(Self.take(cookie: cookie).expiry(at: now, TimeRules(shifts: true)) == nil)
        #expect(Self.take(cookie: cookie, recorded: nil).expiry(at: now, TimeRules()) == nil)
    }

    @Test(arguments: [
        (#"{"expires_at":"2026-11-02T00:00:00Z"}"#, "$.expires_at"), (#"{"expiresOn":1793620800}"#, "$.expiresOn"),
        (#"{"token":{"expiry":1793620800000}}"#, "$.token.expiry"), (#"{"expires_in":3600}"#, nil),
        (#"{"expires_at":"2025-01-01T00:00:00Z"}"#, nil), (#"{"expires_at":"2027-01-01T00:00:00Z"}"#, nil),
        (#"{"created_at":"2026-11-02T00:00:00Z"}"#, nil),
    ])
    func `a time in JSON passes`(_ json: String, _ place: String?) throws {
        let now = try #require(Self.now)
        let expiry = Self.take(json: json).expiry(at: now, TimeRules(shifts: true))
        #expect(expiry?.place == place)
        guard let place else { return }
        #expect(expiry?.remedy == "time: { shift: true, json: [\(place)] }")
        let moved = TimeRules(shifts: true, jsonDates: [try JSONPath(place)])
        #expect(Self.take(json: json).expiry(at: now, moved) == nil)
    }
}
