import Mustache

/// A name with parts that are looked up when asked for.
struct TemplateParts: MustacheCustomRenderable, MustacheParent {
    private let text: String
    private let part: (String) -> String?

    init(text: String, part: @escaping (String) -> String?) {
        self.text = text
        self.part = part
    }

    var renderText: String { self.text }
    var isNull: Bool { false }

    func child(named name: String) -> Any? { self.part(name).map(TextValue.init) }
}
