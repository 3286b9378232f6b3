package import TapedeckCore

/// The formats that a cassette can be written in.
package enum ExportFormat: String, Sendable, CaseIterable {
    case har
    case wiremock
    case vcr
    case vcrpy
    case curl

    /// The media type of a file of the format.
    package var mediaType: String {
        switch self {
        case .har, .wiremock: "application/json"
        case .vcr, .vcrpy: "application/yaml"
        case .curl: "text/x-shellscript"
        }
    }

    /// The ending of a file of the format, without a dot.
    package var ending: String {
        switch self {
        case .har: "har"
        case .wiremock: "json"
        case .vcr: "yml"
        case .vcrpy: "yaml"
        case .curl: "sh"
        }
    }

    /// Returns the file of a cassette in this format.
    ///
    /// - Parameters:
    ///   - version: Tapedeck's, for formats that name their program.
    ///   - text: the text that is written for a text of the cassette, such as a URL with placeholders.
    ///   - content: reads a body without its content coding; what it throws is the reason to leave an answer out.
    package func file(
        _ cassette: Cassette,
        version: String,
        text: @escaping (String) -> String = { $0 },
        content: @escaping (StoredBody) throws -> [UInt8]
    ) -> ExportedFile {
        func listed(_ write: ([ExportedExchange], inout [ExportRemark]) -> [UInt8]) -> ExportedFile {
            var all = ExportedExchanges(cassette, content: content)
            all.replaceTexts(text)
            var leftOut = all.leftOut
            let bytes = write(all.exchanges, &leftOut)
            return ExportedFile(bytes: bytes, exchanges: all.exchanges.count, leftOut: leftOut)
        }
        switch self {
        case .har: return listed { HARWriter(version: version).file($0, &$1) }
        case .vcr: return listed { VCRWriter().file($0, &$1) }
        case .vcrpy: return listed { VCRPyWriter().file($0, &$1) }
        case .curl: return listed { CurlWriter().file($0, name: cassette.name, &$1) }
        case .wiremock:
            var writer = WireMockWriter(cassette, text: text, content: content)
            let bytes = writer.file()
            return ExportedFile(bytes: bytes, exchanges: writer.count, leftOut: writer.leftOut)
        }
    }
}

/// A cassette as a file of another tool.
package struct ExportedFile: Sendable {
    package let bytes: [UInt8]
    /// The number of answers in it.
    package let exchanges: Int
    /// The parts of the cassette that the format cannot say.
    package let leftOut: [ExportRemark]
}

extension ExportRemark {
    /// A remark on an answer that is left out.
    init(_ exchange: ExportedExchange, _ reason: String) {
        self.init(set: exchange.set, reason: reason)
    }
}
