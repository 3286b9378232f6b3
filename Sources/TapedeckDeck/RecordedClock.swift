package import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import TapedeckSessions

extension DeckConfiguration {
    /// Lets the clocks of the deck and of its command begin at the time at which the cassettes were recorded, where the oldest take
    /// counts.
    ///
    /// - Throws: ``DeckError`` if a cassette cannot be read, or none says when it was recorded.
    package mutating func startClockAtRecording() throws(DeckError) {
        var first: Instant?
        do {
            for location in self.cassettes {
                for set in try CassetteStore.onDisk.load(location).responseSets {
                    let times = set.variants.lazy.flatMap(\.behaviour.allTakes).compactMap(\.recordedTime)
                    first = ([first].compactMap { $0 } + Array(times)).min()
                }
            }
        } catch {
            throw DeckError(error)
        }
        guard let first else {
            throw DeckError("--clock recorded: no take of the cassettes says when it was recorded", kind: .badOption)
        }
        self.rules.clockOffset = first.milliseconds - Instant.now.milliseconds
    }

    /// The present time of the deck and its command, and how many seconds it is ahead of this machine's; `nil` if it is not.
    package var commandTime: (offset: Int64, text: String)? {
        let offset = self.rules.clockOffset
        guard offset != 0 else { return nil }
        return (offset / 1000, Instant.now.advanced(byMilliseconds: offset).rfc3339)
    }
}
