/// The result of an import: every entry of every file is played or listed here with a reason.
package struct ImportReport: Codable, Sendable, Equatable {
    /// A cassette that was written.
    package struct Written: Codable, Sendable, Equatable {
        /// The path of the cassette; over the control API its name.
        package var path: String
        /// The files that it was made of, in the order of their entries.
        package var files: [String] = []
        package var formats: [String] = []
        package var entries = 0
        package var played = 0
        /// The names of its secret placeholders.
        package var secrets: [String] = []

        package init(path: String) {
            self.path = path
        }
    }

    /// Something of a file that needs a word.
    package struct Remark: Codable, Sendable, Equatable {
        package var file: String
        /// `line`, or `entry` in a file without lines.
        package var position: String
        /// Counted from 1; 0 is the file as a whole.
        package var number: Int
        package var reason: String

        package init(file: String, position: String, number: Int, reason: String) {
            self.file = file
            self.position = position
            self.number = number
            self.reason = reason
        }
    }

    package var cassettes: [Written] = []
    /// Entries of all files.
    package var entries = 0
    package var played = 0
    /// Entries that are not played.
    package var leftOut: [Remark] = []
    /// Files that could not be read, or that no format recognises.
    package var unread: [Remark] = []
    /// The parts that are played differently from the file.
    package var notes: [Remark] = []

    package init() {}
}

/// The result of an export: lists, with a reason, the parts that the other format cannot express.
package struct ExportReport: Codable, Sendable, Equatable {
    /// A part of a cassette that is not in the file.
    package struct Remark: Codable, Sendable, Equatable {
        /// The name of the response set.
        package var set: String
        package var reason: String

        package init(set: String, reason: String) {
            self.set = set
            self.reason = reason
        }
    }

    package var cassette: String
    package var format: String
    /// The number of answers that are in the file.
    package var exchanges: Int
    package var leftOut: [Remark]

    package init(cassette: String, format: String, exchanges: Int, leftOut: [Remark]) {
        self.cassette = cassette
        self.format = format
        self.exchanges = exchanges
        self.leftOut = leftOut
    }
}
