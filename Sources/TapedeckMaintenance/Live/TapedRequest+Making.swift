import TapedeckCassettes
import TapedeckCodings
import TapedeckCore

extension TapedRequest {
    /// Returns the request of a recorded take: the one noted in the take, completed by the conditions of the set.
    init(_ take: Take, of set: ResponseSet, method: String) throws(Problem) {
        guard !set.request.isGRPC else {
            throw Problem("it is a call of gRPC, which needs its own client: record it again")
        }
        self.method = method
        self.url = try Self.url(take, set.request)
        self.headers = take.request?.headers ?? []
        self.body = []
        try self.addFields(of: set.request)
        try self.addBody(take, set.request)
        // Request the coding of the recorded body.
        if let coding = take.body.coding, !coding.isForAll, !self.headers.contains(named: "accept-encoding") {
            self.headers.append(HeaderField("Accept-Encoding", coding.fieldValue))
        }
        if !self.headers.contains(named: "accept") { self.headers.append(HeaderField("Accept", "*/*")) }
        self.headers.removeAll { field in LiveRequest.ownFields.contains(where: field.isNamed) }
    }

    // MARK: URL

    private static func url(_ take: Take, _ matcher: RequestMatcher) throws(Problem) -> String {
        if let url = take.request?.url { return url }
        switch matcher.url {
        case .exact(let url):
            return try self.adding(matcher.query, to: url.description)
        case .exactPath(let path):
            guard case .names(let names) = matcher.host, names.count == 1, !names[0].contains("*") else {
                throw Problem("its URL names no host, and its take has no `request: { url: … }` that does")
            }
            return try self.adding(matcher.query, to: "https://\(names[0])\(path)")
        case .any, .template, .pattern:
            throw Problem("its take does not have the requested URL: add `request: { url: … }` to the take")
        }
    }

    private static func adding(_ query: [RequestMatcher.Field], to url: String) throws(Problem) -> String {
        var url = url
        for field in query {
            for value in try self.values(field, "query parameter") {
                url += url.contains("?") ? "&" : "?"
                url += "\(self.encoded(field.name))=\(self.encoded(value))"
            }
        }
        return url
    }

    /// Braces of a placeholder stay.
    private static func encoded(_ text: String) -> String {
        QueryText.encoded(text)
    }

    /// The values that meet a condition which says what they are.
    private static func values(_ field: RequestMatcher.Field, _ what: String) throws(Problem) -> [String] {
        switch field.value {
        case .equals(let value): return [value]
        case .values(let values), .valuesInAnyOrder(let values): return values
        case .oneOf(let values): return values.first.map { [$0] } ?? []
        case .absent: return []
        default:
            throw Problem(
                "its \(what) \(field.name) is any that meets a condition: add `request:` with the URL and the headers to its take"
            )
        }
    }

    // MARK: Fields

    private mutating func addFields(of matcher: RequestMatcher) throws(Problem) {
        for field in matcher.headers where !self.headers.contains(named: field.name) {
            for value in try Self.values(field, "header") {
                self.headers.append(HeaderField(field.name, value))
            }
        }
        guard !self.headers.contains(named: "cookie"), !matcher.cookies.isEmpty else { return }
        var cookies: [String] = []
        for field in matcher.cookies {
            for value in try Self.values(field, "cookie") { cookies.append("\(field.name)=\(value)") }
        }
        self.headers.append(HeaderField("Cookie", cookies.joined(separator: "; ")))
    }

    // MARK: Body

    private mutating func addBody(_ take: Take, _ matcher: RequestMatcher) throws(Problem) {
        switch take.request?.body ?? .none {
        case .inline(let body): return try self.setBody(body.decoded, coding: body.coding)
        case .file(let file):
            guard let bytes = try? file.contents() else {
                throw Problem("the body of its request cannot be read: \(file.path)")
            }
            return try self.setBody(bytes, coding: file.coding)
        case .none: break
        }
        guard let condition = matcher.body.first else { return }
        guard matcher.body.count == 1 else { throw Problem(Self.unknownBody) }
        switch condition {
        case .bytes(let body): try self.setBody(body.decoded, coding: nil)
        case .xml(let body, _):
            try self.setBody(body.decoded, coding: nil)
            self.setType("application/xml")
        case .json(let body, _):
            try self.setBody(body.decoded, coding: nil)
            self.setType("application/json")
        case .text(.equals(let text)): try self.setBody(ByteText.bytes(of: text), coding: nil)
        default: throw Problem(Self.unknownBody)
        }
    }

    private static var unknownBody: String {
        "the cassette has only conditions on the body of its request: add `request: { body: … }` to its take"
    }

    private mutating func setType(_ type: String) {
        if !self.headers.contains(named: "content-type") { self.headers.append(HeaderField("Content-Type", type)) }
    }

    private mutating func setBody(_ bytes: [UInt8], coding: BodyCoding?) throws(Problem) {
        self.headers.removeAll { $0.isNamed("content-encoding") }
        guard let coding else {
            self.body = bytes
            return
        }
        guard let coded = try? ContentCoder.encode(bytes, coding.layers) else {
            throw Problem("the body of its request cannot be packed with \(coding.fieldValue)")
        }
        self.body = coded
        self.headers.append(HeaderField("Content-Encoding", coding.fieldValue))
    }
}
