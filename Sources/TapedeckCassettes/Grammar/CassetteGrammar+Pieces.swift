import TapedeckCore
import TapedeckYAML

extension Codec where Value == BodyPieces {
    static var pieces: Self {
        let cut = Shape.either([.words(["events", "messages"]), .list(.integer(1...Int.max))])
        return Codec(
            .either([cut, .pairs([("cut", cut), ("every", .time)])]),
            read: { reader, node, _ in reader.readPieces(node) },
            inline: { writer, pieces in
                guard let pace = pieces.pace else {
                    writer.write(pieces.cut)
                    return
                }
                writer.flowMapping { writer in
                    writer.pair("cut") { $0.write(pieces.cut) }
                    writer.pair("every") { $0.time(pace) }
                }
            }
        )
    }
}

extension CassetteWriter {
    fileprivate mutating func write(_ cut: BodyPieces.Cut) {
        switch cut {
        case .events: self.yaml.raw("events")
        case .messages: self.yaml.raw("messages")
        case .sizes(let sizes): self.flowList(sizes) { $0.yaml.int($1) }
        }
    }
}

/// Bodies in pieces.
extension CassetteReader {
    fileprivate mutating func readPieces(_ node: YAMLNode) -> BodyPieces? {
        guard node.kind == .mapping else { return self.readCut(node).map { BodyPieces($0) } }
        self.checkKeys(node, ["cut", "every"], of: "`pieces`")
        guard let cut = node["cut"], let every = node["every"] else {
            self.error(node, "`pieces` with a pace has cut and every: { cut: events, every: 200ms }")
            return nil
        }
        let pace = self.time(every, "every")
        guard let read = self.readCut(cut), let pace else { return nil }
        return BodyPieces(read, pace: pace)
    }

    private mutating func readCut(_ node: YAMLNode) -> BodyPieces.Cut? {
        if node.kind == .scalar, node.string == "events" { return .events }
        if node.kind == .scalar, node.string == "messages" { return .messages }
        guard node.kind == .sequence else {
            self.error(node, "`pieces` is events, messages, or the sizes of the pieces in bytes, such as [24, 24]")
            return nil
        }
        var sizes: [Int] = []
        for item in node.items {
            guard let size = item.int, size > 0 else {
                self.error(item, "the size of a piece is a number of bytes, at least 1")
                return nil
            }
            sizes.append(size)
        }
        return .sizes(sizes)
    }

    /// Reports places where pieces are impossible: the body is then sent at once.
    mutating func checkPieces(of take: Take, _ node: YAMLNode) {
        guard let pieces = take.pieces else { return }
        if take.body.coding != nil || BodyPieces.isCoded(take.headers) {
            self.warn(node, "this body goes out in a content coding, so it is not cut into pieces")
        } else if pieces.pace == nil, take.pieceTimes.isEmpty {
            self.warn(
                node,
                "nothing says when the pieces go out; write `pieces: { cut: events, every: 200ms }`, or end `recorded` "
                    + "with \"in pieces after 0, 200 ms\""
            )
        }
    }
}
