import TapedeckCassettes
package import TapedeckCore
import TapedeckTLS

/// A cassette as lines that `git diff` can compare: for each take its shape first, then its values.
///
/// Nothing in it depends on when the cassette was recorded, on how JSON is laid out, or on body files, which git does not
/// hand over with the cassette.
package struct CassetteOutline: Sendable {
    private let cassette: Cassette

    package init(_ cassette: Cassette) {
        self.cassette = cassette
    }

    /// The lines, indented by level.
    package var lines: [String] {
        var frame = self.cassette
        frame.responseSets = []
        let settings = String(decoding: CassetteWriter.text(of: frame), as: UTF8.self).split(separator: "\n")
            .map(String.init).filter { $0 != "responseSets: []" }
        return settings + self.cassette.responseSets.flatMap { [""] + Self.lines(of: $0) }
    }

    private static func lines(of set: ResponseSet) -> [String] {
        ["response set: \(set.name)"] + self.frame(SetAlignment.requestText(of: set))
            + set.variants.flatMap { variant in
                ["  variant: \(variant.name)"]
                    + self.frame(CassetteComparison.frame(of: variant)).map { "  \($0)" }
                    + variant.behaviour.allTakes.enumerated().flatMap { index, take in
                        ["    take \(index + 1)"] + self.lines(of: take).map { "      \($0)" }
                    }
            }
    }

    /// The request of a set in YAML, with what decides whether the set answers it.
    package static func requestLines(of set: ResponseSet) -> [String] {
        self.frame(SetAlignment.requestText(of: set)).map { String($0.dropFirst(2)) }
    }

    /// The lines of an item in YAML without its name and without its takes or variants, which have separate items.
    private static func frame(_ item: String) -> [String] {
        let lines = item.split(separator: "\n").map(String.init)
        let end = lines.firstIndex { $0 == "  variants:" || $0 == "  takes:" } ?? lines.endIndex
        return Array(lines[..<end].dropFirst())
    }

    private static func lines(of take: Take) -> [String] {
        if take.isFaultAlone { return ["fault: \(take.faultText ?? "")"] }
        var lines = ["status: \(take.status)"] + (take.faultText.map { ["fault: \($0)"] } ?? [])
        let noise = ["date", "content-length"]
        let fields = take.headers.filter { field in !noise.contains { field.isNamed($0) } }
        var values = fields.map { "header \($0.name): \($0.value)" }
        values += take.trailers.map { "trailer \($0.name): \($0.value)" }
        switch take.body {
        case .none: break
        case .file(let file): lines.append("body: the file \(file.name)")
        case .inline(let body):
            let bytes = body.decoded
            if let json = try? JSONValue(parsing: bytes) {
                lines += self.shape(JSONShape(of: json), at: "$")
                values += self.values(of: json, at: "$")
            } else if let text = String(validating: bytes, as: UTF8.self) {
                lines.append("body: text")
                values += text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
            } else {
                lines.append("body: bytes")
                values.append("\(bytes.count) bytes, SHA-256 \(SHA256.hexDigest(of: bytes))")
            }
        }
        return lines + (values.isEmpty ? [] : ["values:"] + values.map { "  \($0)" })
    }

    private static func shape(_ shape: JSONShape, at place: String) -> [String] {
        var lines = ["\(place): \(shape.types)"]
        if let items = shape.items { lines += self.shape(items, at: "\(place)[*]") }
        for member in shape.members {
            var inner = self.shape(member.shape, at: JSONDifference.path(place, member: member.name))
            if !member.isAlwaysThere { inner[0] += " (sometimes)" }
            lines += inner
        }
        return lines
    }

    private static func values(of value: JSONValue, at place: String) -> [String] {
        switch value {
        case .object(let members) where !members.isEmpty:
            members.flatMap { self.values(of: $0.value, at: JSONDifference.path(place, member: $0.name)) }
        case .array(let items) where !items.isEmpty:
            items.enumerated().flatMap { self.values(of: $1, at: "\(place)[\($0)]") }
        default: ["\(place) = \(String(decoding: value.compactText, as: UTF8.self))"]
        }
    }
}
