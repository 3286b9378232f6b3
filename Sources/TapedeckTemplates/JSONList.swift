import Mustache
import TapedeckCore

/// A JSON array in a template: a section goes through it, and a number is the place of an item, from 0 on.
struct JSONList: MustacheCustomRenderable, MustacheParent, MustacheSequence, MustacheTransformable {
    let items: [JSONValue]
    let writesNull: Bool

    var renderText: String { String(decoding: JSONValue.array(self.items).text(), as: UTF8.self) }
    var isNull: Bool { false }

    func child(named name: String) -> Any? {
        guard let index = Int(name), self.items.indices.contains(index) else { return nil }
        return self.items[index].templateValue(writesNull: self.writesNull)
    }

    func makeIterator() -> some IteratorProtocol<Any> {
        self.items.lazy.map { [writesNull] in $0.templateValue(writesNull: writesNull) }.makeIterator()
    }

    func transform(_ name: String) -> Any? {
        switch name {
        case "count": self.items.count
        case "empty": self.items.isEmpty
        case "first": self.items.first?.templateValue(writesNull: self.writesNull)
        case "last": self.items.last?.templateValue(writesNull: self.writesNull)
        case "reversed": Self(items: self.items.reversed(), writesNull: self.writesNull)
        default: nil
        }
    }
}
