import Mustache
import TapedeckCore

/// A JSON object in a template; inside its section its members have their own names.
struct JSONMembersValue: MustacheCustomRenderable, MustacheParent {
    let object: JSONValue
    let writesNull: Bool

    var renderText: String { String(decoding: self.object.text(), as: UTF8.self) }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        // A request must not be able to take the place of a piece of the template itself.
        guard !name.hasPrefix(TemplatePieces.prefix) else { return nil }
        return self.object[name]?.templateValue(writesNull: self.writesNull)
    }
}
