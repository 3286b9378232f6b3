import Mustache

/// A text off the wire as a value of a template. It is written, never read as a template.
struct TextValue: MustacheCustomRenderable, MustacheParent, MustacheTransformable {
    let renderText: String
    var isNull: Bool { false }

    init(_ text: String) {
        self.renderText = text
    }

    /// A text has no parts. (Without this the library would look into the memory of the value.)
    func child(named: String) -> Any? { nil }

    func transform(_ name: String) -> Any? {
        switch self.renderText.transform(name) {
        case let flag as Bool: flag
        case let text as String: Self(text)
        case let text as Substring: Self(String(text))
        default: nil
        }
    }
}
