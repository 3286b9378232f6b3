/// A file format of another tool that can be imported.
package protocol ImportFormat: Sendable {
    /// The name that `--format` takes.
    var name: String { get }

    /// Returns true if a file is of this format, judged by its content and, if that is ambiguous, by its path.
    func recognises(_ file: ImportFile) -> Bool

    /// The entries of a file in the order in which they are played.
    ///
    /// - Throws: ``ForeignError`` for a file that cannot be read as this format at all.
    func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile

    /// The folder whose files are of one server, and go into one cassette; `nil` where each file is a cassette of its own.
    func group(_ path: String) -> String?

    /// The keys that can lead to the list of entries in JSON, where each of them can be read by itself with what is around the
    /// list; none for formats that read a file as a whole.
    var lists: [[String]] { get }

    /// The file whose entries were read one by one: what entries say of each other.
    ///
    /// - Parameter parts: a file for each entry, in the order of the whole file.
    func joined(_ parts: [ImportedFile]) -> ImportedFile

    /// Looks at a part of a file with one of its entries, before the file is read entry by entry.
    mutating func look(at part: ImportFile) -> EntryLook
}

/// How to go on after a look at an entry of a file.
package enum EntryLook: Sendable {
    /// The file is read entry by entry.
    case enough
    /// The next entry decides.
    case more
    /// The file is read as a whole.
    case whole
}

extension ImportFormat {
    package func group(_ path: String) -> String? { nil }
    package var lists: [[String]] { [] }
    package func look(at part: ImportFile) -> EntryLook { .enough }

    package func joined(_ parts: [ImportedFile]) -> ImportedFile {
        var whole = ImportedFile()
        for part in parts {
            whole.exchanges += part.exchanges
            whole.stubs += part.stubs
        }
        return whole
    }
}

/// All formats, in the order in which they are tried.
package struct ImportFormats: Sendable {
    package let all: [any ImportFormat]

    /// - Parameter values: for the placeholders of requests.
    package init(values: RequestValues = RequestValues()) {
        self.all =
            [
                MitmproxyFlows(), PollyRecording(), HARFile(), CharlesSession(), ProxymanLog(), FiddlerArchive(),
                BurpItems(),
                WireMockMappings(), HoverflySimulation(), MockServerExpectations(), PostmanCollection(),
                OpenAPIDescription(), MountebankImposters(),
                MockoonEnvironment(), MicrocksArtifacts(), InsomniaExport(values: values),
                BrunoCollection(values: values),
                HurlFile(values: values), HTTPRequestFile(values: values), PHPVCRCassette(), ExVCRCassette(),
                EasyVCRCassette(), XAICassette(),
            ]
            + RecordingFormat.allCases.map { $0 as any ImportFormat }
    }

    /// One format alone.
    package init(only format: any ImportFormat) {
        self.all = [format]
    }

    /// All formats without values for placeholders.
    package static let plain = ImportFormats()

    /// Returns the format of this name, or `nil`.
    package func named(_ name: String) -> (any ImportFormat)? {
        self.all.first { $0.name == name }
    }

    /// The format that a file is in; `nil` for a file of none.
    package func recognising(_ file: ImportFile) -> (any ImportFormat)? {
        self.all.first { $0.recognises(file) }
    }
}

extension RecordingFormat: ImportFormat {
    package var name: String { self.rawValue }

    package var lists: [[String]] {
        switch self {
        case .vcr, .betamax: [["http_interactions"]]
        case .vcrpy: [["interactions"], []]
        case .goVCR: [["interactions"], ["Interactions"]]
        case .nock: [[]]
        case .azure: [["Entries"]]
        case .tape: []
        }
    }

    package func recognises(_ file: ImportFile) -> Bool {
        file.document.map { RecordingFormat(recognising: $0) == self } ?? false
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        ImportedFile(exchanges: self.entries(of: try file.requiredDocument(), file: file.side))
    }
}

extension ImportFile {
    /// Returns the document of a file that must be JSON or YAML.
    ///
    /// - Throws: an error if it is neither, empty, or one text.
    package func requiredDocument() throws(ForeignError) -> ForeignNode {
        if let document = self.document {
            guard document.isMap || document.isList else {
                throw ForeignError(message: "it is a text, and no list or map", line: document.line, column: 1)
            }
            return document
        }
        throw self.problem ?? ForeignError(message: "the file is empty", line: 1, column: 1)
    }
}
