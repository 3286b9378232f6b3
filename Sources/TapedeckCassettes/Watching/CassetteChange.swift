/// What came of a change to the files of cassettes that are being played.
package enum CassetteChange: Sendable, Equatable {
    /// Cassettes were read again: those that are another than before, or that can be used again.
    case reloaded(paths: [String])
    /// A cassette cannot be used as it is now; `problem` says why, with line and column. The old one stays.
    case unusable(path: String, problem: String)
    /// A cassette that was there is gone. The old one stays.
    case missing(path: String)
}
