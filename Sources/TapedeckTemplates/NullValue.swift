import Mustache

/// JSON's null: as a section not there, written as nothing, but in a JSON body as `null`, which would be none without.
struct NullValue: MustacheCustomRenderable, MustacheParent {
    let renderText: String
    var isNull: Bool { true }

    init(writesNull: Bool) {
        self.renderText = writesNull ? "null" : ""
    }

    func child(named: String) -> Any? { nil }
}
