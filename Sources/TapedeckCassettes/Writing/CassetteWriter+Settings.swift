import TapedeckCore
import TapedeckYAML

/// Bodies in pieces.
extension CassetteWriter {
    mutating func write(_ pieces: BodyPieces, indent: Int) {
        self.line("pieces", indent: indent) { writer in
            guard let pace = pieces.pace else {
                writer.write(pieces.cut)
                return
            }
            writer.flowMapping([("cut", { $0.write(pieces.cut) }), ("every", { $0.time(pace) })])
        }
    }

    private mutating func write(_ cut: BodyPieces.Cut) {
        switch cut {
        case .events: self.yaml.raw("events")
        case .messages: self.yaml.raw("messages")
        case .sizes(let sizes): self.flowList(sizes) { $0.yaml.int($1) }
        }
    }
}

extension CassetteWriter {
    /// Writes the maximum age of takes, in its shortest form.
    mutating func write(_ maxAge: MaxAge) {
        self.line("maxAge", indent: 0) { writer in
            guard maxAge.consequence != .warn else {
                writer.yaml.raw(maxAge.span.description)
                return
            }
            writer.flowMapping([
                ("after", { $0.yaml.raw(maxAge.span.description) }),
                ("then", { $0.yaml.scalar(maxAge.consequence.rawValue) }),
            ])
        }
    }
}
