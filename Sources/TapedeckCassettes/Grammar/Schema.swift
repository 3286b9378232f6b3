package import TapedeckCore

/// JSON Schemas (draft 2020-12) of the formats, for editors: what a file may have where, with a line on each key.
///
/// A schema says less than `tapedeck check`, which knows what the parts of a file mean together.
package enum CassetteSchema {
    package static let cassette = Self.schema(
        "A cassette of Tapedeck",
        root: Definition(CassetteGrammar.cassette),
        [
            Definition(CassetteGrammar.ignored), Definition(CassetteGrammar.time),
            Definition(CassetteGrammar.redaction),
            Definition(CassetteGrammar.rule), Definition(CassetteGrammar.secret), Definition(CassetteGrammar.set),
            Definition(CassetteGrammar.request), Definition(CassetteGrammar.request, named: "condition"),
            Definition(CassetteGrammar.value), Definition(CassetteGrammar.jsonTest),
            Definition(CassetteGrammar.requestBody), Definition(CassetteGrammar.requestMessage),
            Definition(CassetteGrammar.part), Definition(CassetteGrammar.graphQL), Definition(CassetteGrammar.variant),
            Definition(CassetteGrammar.step), Definition(CassetteGrammar.choice), Definition(CassetteGrammar.then),
            Definition(CassetteGrammar.take), Definition(CassetteGrammar.interim),
            Definition(CassetteGrammar.sentRequest), Definition(CassetteGrammar.body),
            Definition(CassetteGrammar.message),
            Definition(CassetteGrammar.fault), Definition(CassetteGrammar.gzip), Definition(CassetteGrammar.deflate),
            Definition(CassetteGrammar.brotli), Definition(CassetteGrammar.zstd),
        ]
    )

    /// The mappings whose keys the reference lists, by the names that it uses for them.
    package static var reference: [(name: String, lines: [String])] {
        let mappings = [
            Definition(CassetteGrammar.cassette), Definition(CassetteGrammar.ignored),
            Definition(CassetteGrammar.redaction),
            Definition(CassetteGrammar.rule), Definition(CassetteGrammar.secret), Definition(CassetteGrammar.set),
            Definition(CassetteGrammar.request), Definition(CassetteGrammar.value),
            Definition(CassetteGrammar.requestBody),
            Definition(CassetteGrammar.take), Definition(CassetteGrammar.body), Definition(CassetteGrammar.fault),
        ]
        return mappings.map { ($0.name, $0.lines) }
            + [
                (
                    "answers",
                    Definition.lines(CassetteGrammar.answers.filter(\.isOfFiles).map { ($0.name, $0.meaning) })
                ),
                ("modifiers", Definition.lines(CassetteGrammar.modifiers.map { ($0.name, $0.meaning) })),
            ]
    }

    /// A schema, indented.
    package static func text(_ schema: JSONValue) -> [UInt8] {
        let compact = schema.compactText
        return compact.withUnsafeBytes { JSONLayout.readable($0)?.text.dropLast() }.map(Array.init) ?? compact
    }

    static func schema(_ title: String, root: Definition, _ definitions: [Definition]) -> JSONValue {
        let values = Shape.either([.text, .list(.text, atLeast: 1), .mapping("valueConditions")])
        var all = definitions.map { JSONMember(name: $0.name, value: .object($0.members)) }
        if definitions.contains(where: { $0.name == "valueConditions" }) {
            all.append(JSONMember(name: "value", value: values.schema))
        }
        return .object(
            [
                JSONMember(name: "$schema", value: .string("https://json-schema.org/draft/2020-12/schema")),
                JSONMember(name: "title", value: .string(title)),
            ] + root.members + [JSONMember(name: "$defs", value: .object(all))]
        )
    }
}

/// A mapping without the type of its owner.
struct Definition {
    let name: String
    private let keys: [(name: String, shape: Shape, meaning: String)]
    private let rules: [KeyRule]

    init<Owner>(_ mapping: Mapping<Owner>, named name: String? = nil) {
        self.name = name ?? mapping.name
        self.keys = mapping.keys.filter(\.isOfFiles).map { ($0.name, $0.shape, $0.meaning) }
        // A condition may leave out what a set needs.
        self.rules = name == nil ? mapping.rules : mapping.rules.filter { if case .some = $0 { false } else { true } }
    }

    /// The lines of the reference; keys with the same meaning share one.
    var lines: [String] { Self.lines(self.keys.map { ($0.name, $0.meaning) }) }

    static func lines(_ keys: [(name: String, meaning: String)]) -> [String] {
        var lines: [(names: [String], meaning: String)] = []
        for key in keys {
            if let place = lines.firstIndex(where: { $0.meaning == key.meaning }) {
                lines[place].names.append(key.name)
            } else {
                lines.append(([key.name], key.meaning))
            }
        }
        return lines.map { line in "- \(line.names.map { "`\($0)`" }.joined(separator: ", ")): \(line.meaning)" }
    }

    var members: [JSONMember] {
        let properties = self.keys.map { key in
            let description = JSONMember(name: "description", value: .string(Self.plain(key.meaning)))
            guard case .object(let members) = key.shape.schema else {
                return JSONMember(name: key.name, value: .object([]))
            }
            return JSONMember(name: key.name, value: .object([description] + members))
        }
        var members = [
            JSONMember(name: "type", value: .string("object")),
            JSONMember(name: "properties", value: .object(properties)),
            JSONMember(name: "additionalProperties", value: .bool(false)),
        ]
        let together = self.rules.flatMap(Self.schemas)
        if !together.isEmpty { members.append(JSONMember(name: "allOf", value: .array(together))) }
        return members
    }

    /// A text of Markdown without its links.
    private static func plain(_ text: String) -> String {
        text.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.1) }
    }

    private static func schemas(_ rule: KeyRule) -> [JSONValue] {
        switch rule {
        case .all(let names): names.map(self.required)
        case .some(let names): [.object([JSONMember(name: "anyOf", value: .array(names.map(self.required)))])]
        case .one(let names): [.object([JSONMember(name: "oneOf", value: .array(names.map(self.required)))])]
        case .atMostOne(let names):
            names.indices.flatMap { first in
                names[(first + 1)...].map { second in
                    let both = JSONMember(name: "required", value: .array([.string(names[first]), .string(second)]))
                    return .object([JSONMember(name: "not", value: .object([both]))])
                }
            }
        case .with(let name, let others):
            [
                .object([
                    JSONMember(
                        name: "dependentSchemas",
                        value: .object([
                            JSONMember(
                                name: name,
                                value: .object([JSONMember(name: "anyOf", value: .array(others.map(self.required)))])
                            )
                        ])
                    )
                ])
            ]
        }
    }

    private static func required(_ name: String) -> JSONValue {
        .object([JSONMember(name: "required", value: .array([.string(name)]))])
    }
}

extension Shape {
    fileprivate var schema: JSONValue {
        switch self {
        case .text: Self.type("string", "number", "boolean")
        case .json: Self.type("string", "number", "boolean", "null")
        case .matching(let pattern):
            Self.object(("type", .string("string")), ("pattern", .string(pattern)))
        case .words(let words): Self.object(("enum", .array(words.map { .string($0) })))
        case .bool: Self.type("boolean")
        case .yes: Self.object(("const", .bool(true)))
        case .integer(let range):
            Self.object(
                [("type", .string("integer")), ("minimum", .number(JSONNumber(range.lowerBound)))]
                    + (range.upperBound == Int.max ? [] : [("maximum", .number(JSONNumber(range.upperBound)))])
            )
        case .number: Self.type("number", "string")
        case .list(let item, let count):
            Self.object(
                [("type", .string("array")), ("items", item.schema)]
                    + (count == 0 ? [] : [("minItems", .number(JSONNumber(count)))])
            )
        case .oneOrList(let item): Shape.either([item, .list(item, atLeast: 1)]).schema
        case .map(let value): Self.object(("type", .string("object")), ("additionalProperties", value.schema))
        case .pairs(let pairs):
            Self.object(
                ("type", .string("object")),
                ("properties", Self.object(pairs.map { (Self.name(of: $0.key), $0.shape.schema) })),
                ("additionalProperties", .bool(false)),
                ("required", .array(pairs.filter { !$0.key.hasSuffix("?") }.map { .string($0.key) }))
            )
        case .mapping(let name): Self.object(("$ref", .string("#/$defs/\(name)")))
        case .either(let shapes): Self.object(("anyOf", .array(shapes.map(\.schema))))
        case .null: Self.type("null")
        }
    }

    private static func name(of key: String) -> String {
        key.hasSuffix("?") ? String(key.dropLast()) : key
    }

    private static func type(_ names: String...) -> JSONValue {
        self.object(("type", names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) })))
    }

    private static func object(_ members: (String, JSONValue)...) -> JSONValue { self.object(members) }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { JSONMember(name: $0.0, value: $0.1) })
    }
}
