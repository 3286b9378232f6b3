import TapedeckCore
import TapedeckYAML

extension Codec where Value == [VaryingPlace] {
    /// `varies` of a response set.
    static var varyingPlaces: Self {
        Codec(
            .map(.oneOrList(.matching("^[^<]*<?(\(shapes.joined(separator: "|")))>?[^>]*$"))),
            read: { reader, node, _ in reader.readVaryingPlaces(node) },
            write: { writer, places in
                writer.block { writer in
                    for place in places {
                        writer.key(place.place)
                        writer.inline { $0.oneOrList(place.pieces.map(\.description)) }
                    }
                }
            }
        )
    }
}

private var shapes: [String] { VaryingPiece.Shape.allCases.map(\.rawValue) }

extension CassetteReader {
    fileprivate mutating func readVaryingPlaces(_ node: YAMLNode) -> [VaryingPlace] {
        guard !node.isNull, self.expectMapping(node, "`varies`") else { return [] }
        return node.pairs.compactMap { key, value in
            guard Self.isPlace(key.string) else {
                self.error(
                    key,
                    "`\(key.string)` is no place of a request; write path, body, query NAME, header NAME, form NAME, "
                        + "part NAME, $.a.b or /a/b, as reports name it"
                )
                return nil
            }
            let nodes = value.kind == .sequence ? Array(value.items) : [value]
            if nodes.isEmpty { self.error(value, "`\(key.string)` is an empty list") }
            let pieces = nodes.compactMap { self.readVaryingPiece($0, key.string) }
            return pieces.isEmpty ? nil : VaryingPlace(key.string, pieces)
        }
    }

    private static func isPlace(_ text: String) -> Bool {
        ["path", "body"].contains(text) || text.hasPrefix("$") || text.hasPrefix("/")
            || ["query ", "header ", "form ", "part ", "filename of ", "line ", "message "].contains { prefix in
                text.hasPrefix(prefix) && text.count > prefix.count
            }
    }

    /// Warns if no request is compared with what varies.
    mutating func checkVarying(of set: ResponseSet, _ node: YAMLNode) {
        let isExact = if case .exact = set.request.url { true } else { false }
        let isRecorded = set.variants.contains { $0.behaviour.allTakes.contains { $0.recorded != nil } }
        guard !isExact || !isRecorded else { return }
        self.warn(
            node,
            "`varies` is for a recorded request with one `url`: the requests of this set must meet its conditions as they are"
        )
    }

    private mutating func readVaryingPiece(_ node: YAMLNode, _ place: String) -> VaryingPiece? {
        guard let text = self.text(node, place) else { return nil }
        if let piece = VaryingPiece(text) { return piece }
        self.error(
            node,
            "`\(place)` is one of \(shapes.joined(separator: ", ")), or a text with one of them in angle brackets, such as "
                + "`took <number> s`\(Self.hint(text, among: shapes))"
        )
        return nil
    }
}
