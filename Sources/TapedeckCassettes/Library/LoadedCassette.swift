import TapedeckCore

/// A cassette as it was last read.
struct LoadedCassette: Sendable {
    let location: CassetteLocation
    /// `nil` for one that is still to be recorded.
    var cassette: Cassette?
    /// Another one each time that what is played is different.
    var version: Int
    var files: CassetteFiles
    /// What is wrong with its file, which then came later than ``cassette``.
    var problem: String?
}
