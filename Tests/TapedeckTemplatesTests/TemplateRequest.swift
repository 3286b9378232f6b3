import TapedeckCore
import TapedeckTemplates

/// A request with something in every part, for templates to write down.
enum TemplateRequest {
    static let json = """
        {"user": {"id": 7, "name": "Ann \\"A\\" <a&b>", "tags": ["x", "y"]}, "on": true, "off": false, "none": null,
         "items": [{"name": "one", "price": 1.50}, {"name": "two", "price": 2e3}], "empty": [], "*1": "stolen",
         "trick": "{{take}}"}
        """

    static func values(json: String = Self.json) throws -> TemplateValues {
        let url = AbsoluteURL(origin: Origin(scheme: .https, host: "api.example.com"), target: "/repos/me/it?q=a%20b")
        return TemplateValues(
            method: "POST",
            url: url,
            captures: ["owner": "me", "1": "me"],
            query: [("q", "a b"), ("q", "c"), ("filter.name", "dotted"), ("evil", "{{{take}}}\r\nSet-Cookie: x=1")],
            headers: [
                HeaderField("X-Request-Id", "r-1"), HeaderField("Cookie", "sid=abc; theme=dark"),
                HeaderField("cookie", "more=1=2"),
            ],
            json: try JSONValue(parsing: Array(json.utf8)),
            form: [("name", "Bob"), ("name", "Eve")],
            body: "raw body",
            take: 3,
            state: ["cart": "full"],
            seed: 42,
            now: Instant(milliseconds: 1_795_255_748_007)
        )
    }

    static func render(
        _ text: String,
        escaping: ResponseTemplate.Escaping = .none,
        json: String = Self.json
    ) throws -> String {
        try ResponseTemplate(text, escaping: escaping).render(self.values(json: json))
    }
}
