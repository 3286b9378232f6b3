package import TapedeckCassettes
package import TapedeckControlAPI
import TapedeckCore
package import TapedeckImport
import TapedeckRedaction
import TapedeckSessions

/// Writes a cassette as a file of another tool.
package struct CassetteExport {
    package let bytes: [UInt8]
    package let report: ExportReport
    /// Of the cassette.
    private let path: String

    /// - Parameters:
    ///   - reference: the name of a cassette, or a path.
    ///   - format: the name of a format.
    ///   - folder: the folder of cassettes; `nil` is the usual one.
    /// - Throws: ``DeckError`` when the cassette cannot be used or the format is not known.
    package init(
        _ reference: String,
        format: String,
        folder: String?,
        madeUpValues: Bool = false
    ) throws(DeckError) {
        try self.init(
            CassetteFolder.location(reference, folder: folder),
            format: Self.format(format),
            madeUpValues: madeUpValues
        )
    }

    /// - Parameter madeUpValues: true writes made-up values, as a deck plays them, in place of the placeholders of secrets.
    /// - Throws: ``DeckError`` when the cassette cannot be used.
    package init(
        _ location: CassetteLocation,
        format: ExportFormat,
        madeUpValues: Bool = false
    ) throws(DeckError) {
        let cassette: Cassette
        do {
            cassette = try Deck.store.load(location)
        } catch {
            throw DeckError(error)
        }
        // The values of variables are real ones: they are not written.
        let values = madeUpValues ? SecretValues(cassette.secrets, environment: [:], signer: .madeUp) : nil
        let file = format.file(
            cassette,
            version: Deck.version,
            text: { values?.restored($0) ?? $0 },
            content: { body in
                let content = try Self.content(body)
                return values?.restored(content) ?? content
            }
        )
        self.path = location.path
        self.bytes = file.bytes
        self.report = ExportReport(
            cassette: cassette.name,
            format: format.rawValue,
            exchanges: file.exchanges,
            leftOut: file.leftOut.map { ExportReport.Remark(set: $0.set, reason: $0.reason) }
        )
    }

    /// The format of a name.
    ///
    /// - Throws: ``DeckError`` that names the formats.
    package static func format(_ name: String) throws(DeckError) -> ExportFormat {
        if let format = ExportFormat(rawValue: name) { return format }
        let names = ExportFormat.allCases.map(\.rawValue)
        let near = Spelling.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
        throw DeckError(
            "there is no format '\(name)'\(near) (formats: \(names.joined(separator: ", ")))",
            kind: .badOption
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
    /// - Throws: ``DeckError`` when it cannot be written, or is the cassette itself.
    package func write(to path: String) throws(DeckError) {
        guard !FileContents.isSameFile(path, self.path) else {
            throw DeckError("\(path) is the cassette itself: it would be lost", kind: .badOption)
        }
        do {
            try FileContents.replace(path, with: self.bytes)
        } catch {
            throw DeckError("\(path) cannot be written: \(error)", kind: .badOption)
        }
    }
}
