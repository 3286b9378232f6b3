import TapedeckCore
import TapedeckYAML

extension CassetteWriter {
    /// How old takes may be, in its shortest form.
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
