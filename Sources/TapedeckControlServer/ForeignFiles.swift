package import TapedeckCassettes
package import TapedeckControlAPI

/// Reads files of other tools into cassettes, and writes cassettes as such files. Its functions wait for the disk.
package struct ForeignFiles: Sendable {
    /// An uploaded file.
    package struct Upload: Sendable {
        /// The name of the file, for the report and for formats that are recognised by it.
        package var name: String
        package var bytes: [UInt8]
        /// The name of its format; `nil` recognises it.
        package var format: String?
        /// The cassette to write.
        package var location: CassetteLocation
        /// True adds to a cassette that is there.
        package var appends: Bool
    }

    /// A cassette as a file of another tool.
    package struct Download: Sendable {
        package var bytes: [UInt8]
        package var mediaType: String
        /// The ending of the file's name, without a dot.
        package var ending: String
        package var report: ExportReport

        package init(bytes: [UInt8], mediaType: String, ending: String, report: ExportReport) {
            self.bytes = bytes
            self.mediaType = mediaType
            self.ending = ending
            self.report = report
        }
    }

    /// A reason for which a file is not taken or given.
    package enum Failure: Error, Sendable {
        /// The request names something that does not exist, such as a format.
        case badRequest(String)
        /// The cassette cannot be used, with the reason.
        case badCassette(String)
        /// A file of the deck cannot be read or written.
        case file(FileError)
        /// Anything else that keeps the cassette from being saved.
        case notSaved(String)
    }

    /// The name of a cassette for a file of this name.
    package var stem: @Sendable (_ name: String) -> String
    /// Makes a cassette of a file; throws ``Failure``.
    package var take: @Sendable (Upload) throws -> ImportReport
    /// Writes a cassette in the format of a name; throws ``Failure``.
    package var give: @Sendable (_ location: CassetteLocation, _ format: String) throws -> Download

    package init(
        stem: @escaping @Sendable (_ name: String) -> String,
        take: @escaping @Sendable (Upload) throws -> ImportReport,
        give: @escaping @Sendable (_ location: CassetteLocation, _ format: String) throws -> Download
    ) {
        self.stem = stem
        self.take = take
        self.give = give
    }
}
