import TapedeckCassettes
import TapedeckCore
import TapedeckYAML

/// Sets of one cassette of which only the order in its file says which answers.
enum CassetteAmbiguities {
    /// A warning for each, at the set that comes later. Sets that are known never to answer are left out.
    static func warnings(_ result: CassetteReader.Result, path: String) -> [Diagnostic] {
        guard !result.hasErrors, result.cassette.responseSets.count > 1 else { return [] }
        let tape = Tape([result.cassette])
        let ties = tape.ties()
        guard !ties.isEmpty else { return [] }
        let positions = self.positions(of: result)
        let known = Set(result.diagnostics.compactMap { $0.line })
        return ties.compactMap { tie in
            let (first, second) = (tape.entries[tie.first].set.name, tape.entries[tie.second].set.name)
            let place = positions[second]
            if let line = place?.line, known.contains(line) { return nil }
            let other = positions[first].map { " (line \($0.line))" } ?? ""
            return Diagnostic(
                severity: .warning,
                path: path,
                line: place?.line,
                column: place?.column,
                message: "\"\(second)\" ties with \"\(first)\"\(other) for \(tie.request): "
                    + "only their order in the file decides; give one a `priority`"
            )
        }
    }

    private static func positions(of result: CassetteReader.Result) -> [String: YAMLPosition] {
        var positions: [String: YAMLPosition] = [:]
        guard let sets = result.document?.root?["responseSets"] else { return positions }
        for item in sets.items {
            if let name = item["name"] { positions[name.string] = item.position }
        }
        return positions
    }
}
