import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import TapedeckSessions

extension DeckConfiguration {
    /// Warns of a cassette with takes that are older than its `maxAge` allows.
    ///
    /// - Throws: an error if the cassette then must not be played. The mode `record` accepts every cassette, because it
    ///   renews them.
    func checkAge(of cassette: Cassette, log: Logger) throws(CassetteError) {
        guard self.mode != .record, let overage = cassette.overage(at: .now) else { return }
        let message = overage.message(for: cassette)
        switch overage.maxAge.consequence {
        case .warn: log.warning("\(message)")
        case .fail: throw CassetteError(path: cassette.path ?? cassette.name, message)
        }
    }

    /// Checks the cassette that `append` records into: it may be missing, so the library does not check it.
    func checkAgeOfTarget(in library: CassetteLibrary, log: Logger) throws {
        guard self.mode == .append, let target = self.cassettes.first, FileContents.exists(target.path) else { return }
        try self.checkAge(of: try library.cassette(target), log: log)
    }
}
