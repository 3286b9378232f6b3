import TapedeckCassettes
import TapedeckCore
import TapedeckYAML

/// Finds bodies that a person has edited since their coded bytes were stored.
enum EditedBodies {
    /// A warning for each, at the name of the kept file. Reads the files.
    static func warnings(_ result: CassetteReader.Result, path: String) -> [Diagnostic] {
        guard !result.hasErrors, let root = result.document?.root else { return [] }
        var edited: Set<String> = []
        for take in result.cassette.responseSets.lazy.flatMap(\.variants).flatMap(\.behaviour.allTakes) {
            for body in [take.body, take.request?.body ?? .none] {
                guard let coding = body.coding, case .file(let file) = coding.kept, let content = self.content(body)
                else { continue }
                if (try? coding.kept?.bytes(of: content, coding.codings)) == nil { edited.insert(file.name) }
            }
        }
        guard !edited.isEmpty else { return [] }
        var warnings: [Diagnostic] = []
        self.visit(root) { node in
            guard edited.contains(node.string) else { return }
            warnings.append(
                Diagnostic(
                    severity: .warning,
                    path: path,
                    line: node.position.line,
                    column: node.position.column,
                    message:
                        "the body differs from the one in \(node.string), so it is encoded again when it is played; "
                        + "remove `encoded` and that file, or record again"
                )
            )
        }
        return warnings
    }

    /// The decoded body; `nil` where its file cannot be read.
    private static func content(_ body: StoredBody) -> [UInt8]? {
        switch body {
        case .none: []
        case .inline(let body): body.decoded
        case .file(let file): try? FileContents.read(file.path)
        }
    }

    /// Calls `found` with the values of `encoded`.
    private static func visit(_ node: YAMLNode, _ found: (YAMLNode) -> Void) {
        switch node.kind {
        case .mapping:
            for (key, value) in node.pairs {
                if key.scalarEquals("encoded"), value.kind == .scalar { found(value) } else { self.visit(value, found) }
            }
        case .sequence:
            for item in node.items { self.visit(item, found) }
        default: break
        }
    }
}
