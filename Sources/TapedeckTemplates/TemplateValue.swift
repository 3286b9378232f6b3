import TapedeckCore

/// The value of a name in a template. Texts of a request are values and never read as templates.
enum TemplateValue {
    case flag(Bool)
    case number(Int)
    case text(String)
    /// A null, an array or an object.
    case json(JSONValue)
    case named(NamedValues)
    /// A text with parts that are looked up when a template names them.
    case parts(text: String, (String) -> String?)
    case now(Instant)
    case loop(TemplateLoop)
    case root(TemplateRoot)

    init(_ json: JSONValue) {
        switch json {
        case .bool(let flag): self = .flag(flag)
        case .number(let number): self = .text(number.spelling)
        case .string(let text): self = .text(text)
        case .null, .array, .object: self = .json(json)
        }
    }

    /// Returns the part with this name, or at this index of an array, or `nil`.
    func part(_ name: String) -> TemplateValue? {
        switch self {
        case .flag, .number, .text, .loop: return nil
        case .json(.array(let items)):
            guard let index = Int(name), items.indices.contains(index) else { return nil }
            return TemplateValue(items[index])
        case .json(let object): return object[name].map(Self.init)
        case .named(let values): return values.part(name).map(Self.named)
        case .parts(_, let part): return part(name).map(Self.text)
        case .now(let instant):
            if let offset = NowName.offset(name) { return .now(instant.advanced(byMilliseconds: offset)) }
            return NowName.formats[name].map { .text(instant.text($0)) }
        case .root(let root): return root.value(name)
        }
    }

    /// The text that a tag renders. Arrays and objects are JSON without white space; a null is nothing.
    var text: String {
        switch self {
        case .flag(let flag): String(flag)
        case .number(let number): String(number)
        case .text(let text), .parts(let text, _): text
        case .json(.null), .loop, .root: ""
        case .json(let json): String(decoding: json.text(), as: UTF8.self)
        case .named(let values): values.first ?? ""
        case .now(let instant): instant.rfc3339
        }
    }

    /// The items that a section iterates over; `nil` if this is not a list.
    var items: [TemplateValue]? {
        switch self {
        case .json(.array(let items)): items.map(Self.init)
        case .named(let values): values.all.map(Self.text)
        default: nil
        }
    }

    /// False for a part of the request that it does not have, of which there could be several.
    var exists: Bool {
        if case .named(let values) = self { !values.all.isEmpty } else { true }
    }

    /// False if a section of this renders nothing, and an inverted section its content.
    var isPresent: Bool {
        switch self {
        case .flag(let flag): flag
        case .json(.null): false
        case .json(.array(let items)): !items.isEmpty
        case .named(let values): !values.all.isEmpty
        default: true
        }
    }

    /// Returns the result of a function; `nil` if it does not apply to this value.
    func applying(_ function: TemplateFunction) -> TemplateValue? {
        switch self {
        case .flag, .json(.null), .json(.object), .root: return nil
        case .number(let number): return function.apply(to: number)
        case .loop(let loop): return function.apply(to: loop)
        case .json(.array(let items)):
            return function.apply(to: items, item: Self.init) { .json(.array($0)) }
        case .named(let values):
            return function.apply(to: values.all, item: Self.text) { .named(values.with($0)) }
                ?? values.first.flatMap { function.apply(to: $0) }
        case .json, .text, .parts, .now: return function.apply(to: self.text)
        }
    }
}

/// The place of an item in the loop of a section.
struct TemplateLoop {
    /// From 0 on.
    var index: Int
    var isLast: Bool
}
