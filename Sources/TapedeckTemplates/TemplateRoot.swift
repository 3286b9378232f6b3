import Mustache
import TapedeckCore

/// What every name in a template is looked up in, for one rendering.
final class TemplateRoot: MustacheCustomRenderable, MustacheParent {
    private let values: TemplateValues
    private let pieces: TemplatePieces
    private let writesNull: Bool
    private var random: SeededRandom
    private lazy var url = self.values.url.description
    private lazy var query = NamedValues(self.values.query.map { ($0.0, $0.1) })
    private lazy var headers = NamedValues(self.values.headers.map { ($0.name, $0.value) }, ignoresCase: true)
    private lazy var cookies = NamedValues(Self.cookies(self.values.headers))
    private lazy var form = self.values.form.map { NamedValues($0.map { ($0.0, $0.1) }) }
    private lazy var state = NamedValues(self.values.state.map { ($0.key, $0.value) })

    /// - Parameter writesNull: whether a null of the request is written as `null` rather than as nothing.
    init(values: TemplateValues, pieces: TemplatePieces, writesNull: Bool) {
        self.values = values
        self.pieces = pieces
        self.writesNull = writesNull
        self.random = SeededRandom(seed: values.seed)
    }

    /// `{{.}}` outside of every section is nothing.
    var renderText: String { "" }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        if name.hasPrefix(TemplatePieces.prefix) { return self.piece(name) }
        guard let name = TemplateName(rawValue: name) else { return nil }
        switch name {
        case .url: return TemplateParts(text: self.url, part: self.capture)
        case .request: return TemplateParts(text: "", part: self.requestPart)
        case .query: return self.query
        case .header: return self.headers
        case .cookie: return self.cookies
        case .form: return self.form
        case .json: return self.values.json?.templateValue(writesNull: self.writesNull)
        case .take: return self.values.take
        case .state: return self.state
        case .random: return TemplateParts(text: "", part: self.randomText)
        case .now: return NowValue(instant: self.values.now)
        }
    }

    private func piece(_ name: String) -> Any? {
        switch self.pieces[name] {
        case .text(let text)?: TextValue(text)
        case .time(let offset, let format)?:
            TextValue(self.values.now.advanced(byMilliseconds: offset).text(format))
        case nil: nil
        }
    }

    private func capture(_ name: String) -> String? { self.values.captures[name] }

    private func requestPart(_ name: String) -> String? {
        let url = self.values.url
        switch TemplateName.RequestPart(rawValue: name) {
        case .method: return self.values.method
        case .url: return self.url
        case .scheme: return url.origin.scheme.rawValue
        case .host: return url.origin.host
        case .port: return String(url.origin.port)
        case .path: return url.path
        case .query: return url.query
        case .body: return self.values.body
        case nil: return nil
        }
    }

    private func randomText(_ name: String) -> String? {
        RandomName(name)?.text(&self.random)
    }

    /// RFC 6265 section 4.2.1: pairs with semicolons between them.
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
