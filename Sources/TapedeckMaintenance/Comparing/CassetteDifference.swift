package import TapedeckCassettes
import TapedeckCore

/// The kind of place at which two cassettes differ.
package enum DifferenceKind: String, Sendable {
    case onlyInFirst
    case onlyInSecond
    case changed
}

/// The differences of two cassettes.
package struct CassetteDifference: Sendable, Equatable {
    /// Settings of the whole cassette, and profiles: lines of YAML after `- ` or `+ `.
    package var settings: [String] = []
    /// In the order of the first cassette, then those that only the second has.
    package var sets: [SetDifference] = []
    /// The number of equal response sets.
    package var sameSets = 0

    /// True if both cassettes play the same.
    package var isEmpty: Bool { self.settings.isEmpty && self.sets.isEmpty }
}

/// A response set that two cassettes do not have in common.
package struct SetDifference: Sendable, Equatable {
    package var kind: DifferenceKind
    /// The name in the first cassette, or in the second if only that has the set.
    package var name: String
    /// The name in the second cassette, if it differs.
    package var newName: String?
    /// Methods and URL.
    package var request: String
    /// For a set that only one has: one that only the other has, for the same method and path.
    package var resembles: String?
    /// The request, with priority and state: lines of YAML after `- ` or `+ `.
    package var requestLines: [String] = []
    package var variants: [VariantDifference] = []

    package init(kind: DifferenceKind, name: String, request: String) {
        self.kind = kind
        self.name = name
        self.request = request
    }
}

/// A variant that two response sets do not have in common.
package struct VariantDifference: Sendable, Equatable {
    package var kind: DifferenceKind
    package var name: String
    /// The name in the second cassette, if it differs.
    package var newName: String?
    /// A short description of its behaviour.
    package var summary: String
    /// The behaviour around its takes: lines of YAML after `- ` or `+ `.
    package var lines: [String] = []
    package var takes: [TakeChange] = []

    package init(kind: DifferenceKind, name: String, summary: String) {
        self.kind = kind
        self.name = name
        self.summary = summary
    }
}

/// A take that two variants do not have in common.
package struct TakeChange: Sendable, Equatable {
    package var kind: DifferenceKind
    /// Its place in the first cassette, or in the second for one that only that has; 1 is the first.
    package var number: Int
    package var differences: [TakeDifference] = []
    /// For a text: its lines, after `- ` or `+ `.
    package var lines: [String] = []

    package init(kind: DifferenceKind, number: Int) {
        self.kind = kind
        self.number = number
    }
}
