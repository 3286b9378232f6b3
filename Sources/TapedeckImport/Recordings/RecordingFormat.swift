/// The formats of other tools' recordings that are JSON or YAML.
package enum RecordingFormat: String, Sendable, CaseIterable {
    case vcr
    case vcrpy
    case goVCR = "go-vcr"
    case betamax
    case tape
    case nock
    case azure

    /// Returns the format of a document by its content, or `nil`.
    package init?(recognising document: ForeignNode) {
        if BetamaxTape.recognises(document) {
            self = .tape
        } else if let dialect = VCRCassette.dialect(of: document) {
            self = dialect == .betamax ? .betamax : .vcr
        } else if AzureRecording.recognises(document) {
            self = .azure
        } else if NockFixture.recognises(document) {
            self = .nock
        } else if VCRPyCassette.recognises(document) {
            self = .vcrpy
        } else if GoVCRCassette.recognises(document) {
            self = .goVCR
        } else {
            return nil
        }
    }

    /// Returns the entries of a document, read in this format, in the order in which they are played.
    ///
    /// - Parameter file: reads a file that the document names, relative to its folder; `nil` if it is missing.
    package func entries(of document: ForeignNode, file: (String) -> [UInt8]? = { _ in nil }) -> [ForeignEntry] {
        switch self {
        case .vcr: VCRCassette.entries(document, .vcr)
        case .betamax: VCRCassette.entries(document, .betamax)
        case .vcrpy: VCRPyCassette.entries(document)
        case .goVCR: GoVCRCassette.entries(document)
        case .tape: BetamaxTape.entries(document, file: file)
        case .nock: NockFixture.entries(document)
        case .azure: AzureRecording.entries(document)
        }
    }
}
