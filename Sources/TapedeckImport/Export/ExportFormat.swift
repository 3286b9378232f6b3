/// The formats that a cassette can be written in.
package enum ExportFormat: String, Sendable, CaseIterable {
    case har
    case wiremock
    case vcr
    case curl

    /// The media type of a file of the format.
    package var mediaType: String {
        switch self {
        case .har, .wiremock: "application/json"
        case .vcr: "application/yaml"
        case .curl: "text/x-shellscript"
        }
    }

    /// The ending of a file of the format, without a dot.
    package var ending: String {
        switch self {
        case .har: "har"
        case .wiremock: "json"
        case .vcr: "yml"
        case .curl: "sh"
        }
    }

    /// The file of a cassette in this format, and what of it cannot be said there.
    ///
    /// - Parameters:
    ///   - name: the name of the cassette.
    ///   - version: that of Tapedeck, for formats that name who wrote them.
    package func file(
        _ exchanges: ExportedExchanges,
        name: String,
        version: String
    ) -> (bytes: [UInt8], leftOut: [ExportRemark]) {
        var leftOut = exchanges.leftOut
        let bytes =
            switch self {
            case .har: HARWriter(version: version).file(exchanges.exchanges, &leftOut)
            case .wiremock: WireMockWriter().file(exchanges.exchanges, &leftOut)
            case .vcr: VCRWriter().file(exchanges.exchanges, &leftOut)
            case .curl: CurlWriter().file(exchanges.exchanges, name: name, &leftOut)
            }
        return (bytes, leftOut)
    }
}

extension ExportRemark {
    /// A remark on an answer that is left out.
    init(_ exchange: ExportedExchange, _ reason: String) {
        self.init(set: exchange.set, reason: reason)
    }
}
