import TapedeckCassettes
import TapedeckCore
package import TapedeckImport

/// Writes a cassette as a file of another tool.
package struct CassetteExport {
    /// The result of an export: what the other format cannot say stands here with a reason.
    package struct Report: Encodable, Sendable {
        package let cassette: String
        package let format: String
        /// The number of answers that are in the file.
        package let exchanges: Int
        package let leftOut: [ExportRemark]

        /// The report for a person.
        package var lines: [String] { self.leftOut.map { "not in the file: \($0.line)" } }
    }

    package let bytes: [UInt8]
    package let report: Report

    /// - Parameters:
    ///   - reference: the name of a cassette, or a path.
    ///   - format: the name of a format.
    ///   - folder: the folder of cassettes; `nil` is the usual one.
    /// - Throws: ``DeckError`` when the cassette cannot be used or the format is not known.
    package init(_ reference: String, format: String, folder: String?) throws(DeckError) {
        guard let known = ExportFormat(rawValue: format) else {
            let names = ExportFormat.allCases.map(\.rawValue)
            let near = Spelling.nearest(to: format, among: names).map { "; did you mean \($0)?" } ?? ""
            throw DeckError(
                "there is no format '\(format)'\(near) (formats: \(names.joined(separator: ", ")))",
                kind: .badOption
            )
        }
        let cassette: Cassette
        do {
            cassette = try Deck.store.load(CassetteFolder.location(reference, folder: folder))
        } catch {
            throw DeckError(error)
        }
        let exchanges = ExportedExchanges(cassette, content: Self.content)
        let file = known.file(exchanges, name: cassette.name, version: Deck.version)
        self.bytes = file.bytes
        self.report = Report(
            cassette: cassette.name,
            format: format,
            exchanges: exchanges.exchanges.count,
            leftOut: file.leftOut
        )
    }

    private static func content(_ body: StoredBody) throws -> [UInt8] {
        switch body {
        case .none: []
        case .inline(let body): body.decoded
        case .file(let file): try file.contents()
        }
    }

    /// Writes the file.
    ///
    /// - Throws: ``DeckError`` when it cannot be written.
    package func write(to path: String) throws(DeckError) {
        do {
            try FileContents.replace(path, with: self.bytes)
        } catch {
            throw DeckError("\(path) cannot be written: \(error)", kind: .badOption)
        }
    }
}
