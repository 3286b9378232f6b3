package import TapedeckCore

/// The values of the names in a template: the request that is answered, and the position of its session.
///
/// None of these values is ever read as a template.
package struct TemplateValues: Sendable {
    /// `request.method`
    package var method: String
    /// `url`, `request.url` and the parts of it.
    package var url: AbsoluteURL
    /// `url.NAME`: what the matcher of the URL captured, by name or by number.
    package var captures: [String: String]
    /// `query.NAME`, decoded.
    package var query: [(String, String)]
    /// `header.NAME` and `cookie.NAME`
    package var headers: [HeaderField]
    /// `json`: the body, if it is JSON.
    package var json: JSONValue?
    /// `form.NAME`: the fields of a form, if the body is one.
    package var form: [(String, String)]?
    /// `request.body`: the body as text, if it is one.
    package var body: String?
    /// `take`: 1 for the first answer.
    package var take: Int
    /// `state.NAME`
    package var state: [String: String]
    /// The seed of random values: the same seed gives the same values.
    package var seed: UInt64
    /// `now`
    package var now: Instant

    package init(
        method: String,
        url: AbsoluteURL,
        captures: [String: String] = [:],
        query: [(String, String)] = [],
        headers: [HeaderField] = [],
        json: JSONValue? = nil,
        form: [(String, String)]? = nil,
        body: String? = nil,
        take: Int = 1,
        state: [String: String] = [:],
        seed: UInt64 = 0,
        now: Instant
    ) {
        self.method = method
        self.url = url
        self.captures = captures
        self.query = query
        self.headers = headers
        self.json = json
        self.form = form
        self.body = body
        self.take = take
        self.state = state
        self.seed = seed
        self.now = now
    }
}
