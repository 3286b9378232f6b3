package import TapedeckCore

/// What came of a change to the files of cassettes that are being played.
package enum CassetteChange: Sendable {
    /// All cassettes as they are now, in the order of the deck; `paths` are those that are another than before.
    case reloaded([Cassette], paths: [String])
    /// A cassette cannot be used as it is now; `problem` says why, with line and column. The old ones stay.
    case unusable(path: String, problem: String)
    /// A cassette that was there is gone. The old ones stay.
    case missing(path: String)
}
