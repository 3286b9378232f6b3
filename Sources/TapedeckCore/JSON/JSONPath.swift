/// A path that selects values in a JSON value (RFC 9535), such as `$.items[0].name` or `$..id`.
///
/// Supports names, indices (from the end too), slices, wildcards, descendants and filters; not the RFC's functions in
/// filters. Selects at most 100,000 values in at most 5,000,000 steps, and ignores the rest.
package struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    /// As it was written.
    package let description: String
    let segments: [Segment]

    /// - Throws: what is wrong with the path and where.
    package init(_ source: String) throws(JSONPathError) {
        self.description = source
        self.segments = try JSONPathParser.parse(source)
    }

    /// Returns the selected values, in the order of the RFC. A value that is selected twice occurs twice.
    package func values(in value: JSONValue) -> [JSONValue] {
        var search = JSONPathSearch(root: value)
        return search.run(self.segments).map(\.value)
    }

    /// Paths are the same when they are written alike.
    package static func == (left: JSONPath, right: JSONPath) -> Bool {
        left.description.isSameText(as: right.description)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(JSONName(self.description))
    }
}

extension JSONPath {
    /// One step of a path: its selection in each value that the previous step selected.
    struct Segment: Sendable {
        /// True if it also selects in everything below.
        var isDescendant: Bool
        var selectors: [Selector]
    }

    enum Selector: Sendable {
        case name(String)
        /// Counted from the end when it is negative.
        case index(Int)
        case slice(start: Int?, end: Int?, step: Int)
        case wildcard
        case filter(Filter)
    }

    /// A condition on a value (RFC 9535 section 2.3.5).
    indirect enum Filter: Sendable {
        case any([Filter])
        case all([Filter])
        case not(Filter)
        case exists(Query)
        case compare(Operand, Relation, Operand)
    }

    /// A path within a filter.
    struct Query: Sendable {
        /// True if it begins at the current value (`@`), not at the root (`$`).
        var isRelative: Bool
        var segments: [Segment]

        /// True if it can select one value at most.
        var isSingular: Bool {
            self.segments.allSatisfy { segment in
                guard !segment.isDescendant, segment.selectors.count == 1 else { return false }
                switch segment.selectors[0] {
                case .name, .index: return true
                case .slice, .wildcard, .filter: return false
                }
            }
        }
    }

    enum Operand: Sendable {
        case literal(JSONValue)
        case query(Query)
    }

    enum Relation: String, Sendable, CaseIterable {
        // Those of two characters first, as the others begin like them.
        case equal = "=="
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"
    }
}

/// An error in a JSONPath.
package struct JSONPathError: Error, Sendable, Equatable, CustomStringConvertible {
    package var message: String
    /// The number of characters before the error.
    package var offset: Int

    package init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }

    package var description: String {
        "at character \(self.offset + 1): \(self.message)"
    }
}

extension JSONPath {
    /// The places of the values that the path selects: from the root down, the number of each member or item, from 0.
    package func places(in value: JSONValue) -> [[Int]] {
        var search = JSONPathSearch(root: value, keepsPlaces: true)
        let nodes = search.run(self.segments)
        return nodes.map { node in
            var steps: [Int] = []
            var place = node.place
            while place > 0 {
                steps.append(search.places[place].index)
                place = search.places[place].parent
            }
            return steps.reversed()
        }
    }
}
