/// Makes up JSON that a schema allows.
struct OpenAPISchema {
    /// Follows a `$ref`.
    let resolve: (ForeignNode) -> ForeignNode

    private static let maximumDepth = 8

    /// - Parameter budget: how many values may still be made; schemas may hold themselves.
    func json(_ schema: ForeignNode, depth: Int, budget: inout Int) -> String {
        budget -= 1
        let schema = self.resolve(schema)
        for key in ["example", "default", "const"] {
            if let value = schema[key] { return String(decoding: ForeignJSON.text(value, .dotNet), as: UTF8.self) }
        }
        for key in ["examples", "enum"] {
            if let value = schema[key]?.items.first {
                return String(decoding: ForeignJSON.text(value, .dotNet), as: UTF8.self)
            }
        }
        guard depth < Self.maximumDepth, budget > 0 else { return "null" }
        if let choice = schema["oneOf"]?.items.first ?? schema["anyOf"]?.items.first {
            return self.json(choice, depth: depth + 1, budget: &budget)
        }
        let members = self.members(of: schema, depth: depth)
        let type = schema["type"]?.text ?? schema["type"]?.items.first { $0.text != "null" }?.text
        switch type {
        case "array":
            let item = schema["items"].map { self.json($0, depth: depth + 1, budget: &budget) }
            return "[\(item ?? "")]"
        case "integer": return schema["minimum"]?.int.map(String.init) ?? "0"
        case "number": return schema["minimum"]?.int.map(String.init) ?? "0"
        case "boolean": return "true"
        case "string": return "\"\(Self.text(format: schema["format"]?.text))\""
        case "null": return "null"
        default:
            guard type == "object" || !members.isEmpty else { return "{}" }
            var parts: [String] = []
            for (name, member) in members where budget > 0 {
                let key = ForeignJSON.text(ForeignNode(.scalar(name, isPlain: false), line: 0), .dotNet)
                parts.append(
                    String(decoding: key, as: UTF8.self) + ":" + self.json(member, depth: depth + 1, budget: &budget)
                )
            }
            return "{\(parts.joined(separator: ","))}"
        }
    }

    /// Returns the properties of an object, with those of all its parts.
    private func members(of schema: ForeignNode, depth: Int) -> [(String, ForeignNode)] {
        guard depth < Self.maximumDepth else { return [] }
        var members = (schema["allOf"]?.items ?? []).flatMap { part in
            self.members(of: self.resolve(part), depth: depth + 1)
        }
        members += (schema["properties"]?.pairs ?? []).compactMap { pair in pair.key.text.map { ($0, pair.value) } }
        return members
    }

    private static func text(format: String?) -> String {
        switch format {
        case "date-time": "2026-01-01T00:00:00Z"
        case "date": "2026-01-01"
        case "uuid": "00000000-0000-4000-8000-000000000000"
        case "email": "user@example.com"
        case "uri", "url": "https://example.com/"
        default: "string"
        }
    }
}
