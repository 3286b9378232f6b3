package import TapedeckCassettes
import TapedeckCore

/// The result of sending a cassette's requests again.
package struct MaintenanceReport: Sendable {
    /// The differences of the live answer to one take.
    package struct Change: Sendable, Equatable {
        package var set: String
        /// From 1, among the takes of the set's recorded variant.
        package var take: Int
        /// The number of takes of that variant.
        package var takes: Int
        /// Never empty.
        package var differences: [TakeDifference]

        package var isShape: Bool { self.differences.contains { $0.kind == .shape } }
    }

    /// A response set that was requested and got no usable answer.
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
    /// The saved cassette; `nil` if nothing was to be written.
    package var saved: CassetteStore.Saved?

    package init(path: String) {
        self.path = path
    }

    package var hasShapeDrift: Bool { self.changes.contains(where: \.isShape) }
}
