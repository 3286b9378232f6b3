package import TapedeckCore
import TapedeckProtobuf
package import TapedeckYAML

/// Reads a cassette's text into the model, and says with file, line and column what is wrong with it.
package struct CassetteReader {
    /// A cassette with everything there is to say about its file.
    package struct Result: Sendable {
        package var cassette: Cassette
        package var diagnostics: [Diagnostic]
        /// The parsed text, for editing it in place; `nil` when it could not be parsed.
        package var document: YAMLDocument?

        /// The text; empty when it could not be parsed.
        package var source: [UInt8] { self.document?.source ?? [] }

        package var hasErrors: Bool { self.diagnostics.contains { $0.severity == .error } }
    }

    /// The notation of the input, which decides the wording of errors.
    enum Notation {
        /// A cassette's file.
        case yaml
        /// JSON from clients of the control API: JSON values are allowed where the file has JSON as text, and there are
        /// no body files.
        case json
    }

    let path: String
    let notation: Notation
    /// The source of body files; `nil` means the disk.
    let files: SessionFiles?
    /// The present paths of body files that are still to be copied, by the paths that they get.
    var originals: [String: String] = [:]
    /// False if a body file may be missing.
    var needsBodyFiles = true
    var diagnostics: [Diagnostic] = []
    /// False if some of the response sets could not be read.
    var hasAllSets = true
    /// The places where variants of the current set name others.
    var references = VariantReferences()
    /// The types of messages, where descriptors say them.
    var descriptors: DescriptorSet?
    /// The method of the set that is being read, where a descriptor says it.
    var method: MethodDescriptor?
    /// The URL of the set that is being read, if it could be read: its templates can use the captures.
    var url: URLMatcher?
    /// True if the texts of the current behaviour may be templates.
    var mayBeTemplate = false
    /// True if the current variant has a template.
    var sawTemplate = false
    /// For checking patterns against recorded URLs; made when first needed.
    private(set) lazy var scratch = PatternScratch()

    init(path: String, notation: Notation = .yaml, files: SessionFiles? = nil) {
        self.path = path
        self.notation = notation
        self.files = files
    }

    /// - Parameters:
    ///   - name: the user's name for the cassette.
    ///   - path: its path; body files are looked up in its folder.
    ///   - files: the files that contain `path`, if it is not on disk.
    ///   - originals: the current paths of body files that are still to be copied, by their new paths.
    ///   - needsBodyFiles: false for a cassette that may be without its body files. They have a size of 0 then.
    package static func read(
        _ source: [UInt8],
        name: String,
        path: String,
        files: SessionFiles? = nil,
        originals: [String: String] = [:],
        needsBodyFiles: Bool = true
    ) -> Result {
        var reader = CassetteReader(path: path, files: files)
        reader.originals = originals
        reader.needsBodyFiles = needsBodyFiles
        var cassette = Cassette(name: name, path: path, responseSets: [])
        do {
            let document = try YAMLDocument(parsing: source)
            if let root = document.root {
                reader.readTop(root, into: &cassette)
            } else {
                reader.diagnostics.append(
                    Diagnostic(
                        severity: .error,
                        path: path,
                        line: 1,
                        column: 1,
                        message: "the file is empty; a cassette begins with `tapedeck: 1`"
                    )
                )
            }
            return Result(cassette: cassette, diagnostics: Self.sorted(reader.diagnostics), document: document)
        } catch {
            let problem = ConflictMarkers.problem(error, in: source, path: path)
            return Result(cassette: cassette, diagnostics: [problem], document: nil)
        }
    }

    /// In the order of the file. Some things are only known at the end of a set, or of all.
    static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        guard diagnostics.count > 1 else { return diagnostics }
        return diagnostics.enumerated()
            .sorted { left, right in
                let (first, second) = (left.element, right.element)
                return (first.line ?? 0, first.column ?? 0, left.offset)
                    < (second.line ?? 0, second.column ?? 0, right.offset)
            }
            .map(\.element)
    }

    // MARK: Top

    private mutating func readTop(_ root: YAMLNode, into cassette: inout Cassette) {
        guard self.expectMapping(root, CassetteGrammar.cassette.what), self.readVersion(root) else { return }
        _ = self.read(root, by: CassetteGrammar.cassette, into: &cassette)
        if let delay = root["delay"], self.hasAllSets { self.checkLatencies(of: cassette, delay) }
    }

    /// Says whether the rest of the file can be read by this version's rules.
    private mutating func readVersion(_ root: YAMLNode) -> Bool {
        guard let node = root["tapedeck"] else {
            self.error(root, "a cassette says which format it is written in: begin it with `tapedeck: 1`")
            return false
        }
        guard let version = node.int, version >= 1 else {
            self.error(node, "`tapedeck` is the number of the format: write `tapedeck: 1`")
            return false
        }
        guard version <= CassetteGrammar.formatVersion else {
            self.error(
                node,
                "this cassette is written in format \(version), and this Tapedeck reads formats up to "
                    + "\(CassetteGrammar.formatVersion): use a newer Tapedeck"
            )
            return false
        }
        return true
    }
}
