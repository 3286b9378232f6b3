import TapedeckCore
import TapedeckYAML

/// The surroundings of the runs that recorded a cassette.
extension CassetteMerge {
    /// Adds the surroundings of a recording to `values:`. Returns false when the text is laid out in a way that cannot be
    /// edited.
    mutating func editValues(_ root: YAMLNode, _ input: Input) -> Bool {
        var cassette = input.cassette
        cassette.surroundings = cassette.surroundings.union(input.surroundings)
        guard cassette.surroundings != input.cassette.surroundings else { return true }
        return self.replace("values", of: root, with: CassetteWriter.text(of: "values", in: cassette))
    }
}
