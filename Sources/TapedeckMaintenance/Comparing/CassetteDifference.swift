package import TapedeckCassettes
import TapedeckCore

/// Where something is that two cassettes do not have in common.
package enum DifferenceKind: String, Sendable {
    case onlyInFirst
    case onlyInSecond
    case changed
}

/// What two cassettes do not have in common.
package struct CassetteDifference: Sendable, Equatable {
    /// What holds for a whole cassette, profiles among it: lines of YAML with `- ` or `+ ` in front.
    package var settings: [String] = []
    /// In the order of the first cassette, then those that only the second has.
    package var sets: [SetDifference] = []
    /// How many response sets are the same in both.
    package var sameSets = 0

    /// Whether both cassettes play the same.
    package var isEmpty: Bool { self.settings.isEmpty && self.sets.isEmpty }
}

/// A response set that two cassettes do not have in common.
package struct SetDifference: Sendable, Equatable {
    package var kind: DifferenceKind
    /// What the first cassette calls it; for one that only the second has, what that calls it.
    package var name: String
    /// What the second cassette calls it, where that is something else.
    package var newName: String?
    /// Methods and URL.
    package var request: String
    /// For a set that only one has: one that only the other has, for the same method and path.
    package var resembles: String?
    /// What it asks for, priority and state among it: lines of YAML with `- ` or `+ ` in front.
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
    /// What the second cassette calls it, where that is something else.
    package var newName: String?
    /// What it does, in a few words.
    package var summary: String
    /// What it does around its takes: lines of YAML with `- ` or `+ ` in front.
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
    /// Of a text: its lines, with `- ` or `+ ` in front.
    package var lines: [String] = []

    package init(kind: DifferenceKind, number: Int) {
        self.kind = kind
        self.number = number
    }
}
