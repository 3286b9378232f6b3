import TapedeckCore

/// The names of a request, for one rendering.
final class TemplateRoot {
    private let values: TemplateValues
    private var random: SeededRandom
    private lazy var url = self.values.url.description
    private lazy var query = NamedValues(self.values.query.map { ($0.0, $0.1) })
    private lazy var headers = NamedValues(self.values.headers.map { ($0.name, $0.value) }, ignoresCase: true)
    private lazy var cookies = NamedValues(Self.cookies(self.values.headers))
    private lazy var form = self.values.form.map { NamedValues($0.map { ($0.0, $0.1) }) }
    private lazy var state = NamedValues(self.values.state.map { ($0.key, $0.value) })

    init(_ values: TemplateValues) {
        self.values = values
        self.random = SeededRandom(seed: values.seed)
    }

    /// Returns the value of the first part of a name; `nil` if it means nothing or the request has no such part.
    func value(_ name: String) -> TemplateValue? {
        switch TemplateName(rawValue: name) {
        case .url: .parts(text: self.url) { self.values.captures[$0] }
        case .request: .parts(text: "", self.requestPart)
        case .query: .named(self.query)
        case .header: .named(self.headers)
        case .cookie: .named(self.cookies)
        case .form: self.form.map(TemplateValue.named)
        case .json: self.values.json.map { TemplateValue($0) }
        case .take: .number(self.values.take)
        case .state: .named(self.state)
        case .random: .parts(text: "") { RandomName($0)?.text(&self.random) }
        case .now: .now(self.values.now)
        case nil: nil
        }
    }

    private func requestPart(_ name: String) -> String? {
        let url = self.values.url
        return switch TemplateName.RequestPart(rawValue: name) {
        case .method: self.values.method
        case .url: self.url
        case .scheme: url.origin.scheme.rawValue
        case .host: url.origin.host
        case .port: String(url.origin.port)
        case .path: url.path
        case .query: url.query
        case .body: self.values.body
        case nil: nil
        }
    }

    /// Returns the cookies of a request: pairs with semicolons between them (RFC 6265 section 4.2.1).
    private static func cookies(_ headers: [HeaderField]) -> [(name: String, value: String)] {
        headers.filter { $0.isNamed("cookie") }
            .flatMap { $0.value.split(separator: ";") }
            .compactMap { pair in
                guard let equals = pair.firstIndex(of: "=") else { return nil }
                let name = pair[..<equals].trimmingSpaces()
                return (String(name), String(pair[pair.index(after: equals)...].trimmingSpaces()))
            }
    }
}
