package import TapedeckCassettes
import TapedeckCore

/// What became of a cassette's requests that were asked again.
package struct MaintenanceReport: Sendable {
    /// What the live answer to one take has otherwise.
    package struct Change: Sendable, Equatable {
        package var set: String
        /// From 1, among the takes of the set's recorded variant.
        package var take: Int
        /// How many takes that variant has.
        package var takes: Int
        /// Never empty.
        package var differences: [TakeDifference]

        package var isShape: Bool { self.differences.contains { $0.kind == .shape } }
    }

    /// A response set that was asked for and got no answer that could stand in its takes' place.
    package struct Failure: Sendable, Equatable {
        package var set: String
        /// Comes after the name.
        package var why: String
    }

    /// The cassette's file.
    package var path: String
    package var requests = 0
    package var sets = 0
    package var changes: [Change] = []
    package var failures: [Failure] = []
    /// Sets that were left alone, and why.
    package var skipped: [(set: String, why: String)] = []
    /// What was written; `nil` where nothing was to be.
    package var saved: CassetteStore.Saved?

    package init(path: String) {
        self.path = path
    }

    package var hasShapeDrift: Bool { self.changes.contains(where: \.isShape) }
}
