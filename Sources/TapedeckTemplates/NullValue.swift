import Mustache

/// JSON's null: written as nothing, and as a section not there.
struct NullValue: MustacheCustomRenderable, MustacheParent {
    var renderText: String { "" }
    var isNull: Bool { true }

    func child(named: String) -> Any? { nil }
}
