/// The takes of a tape by their numbers. Their memory is that of the cassettes.
package struct TakeList: RandomAccessCollection, Sendable {
    private struct Place {
        /// The list in which a behaviour has it.
        var takes: [Take]
        var index: Int
    }

    private var places: [Place] = []

    mutating func reserveCapacity(_ capacity: Int) {
        self.places.reserveCapacity(capacity)
    }

    /// Adds the takes of a behaviour.
    mutating func append(_ takes: [Take]) {
        for index in takes.indices { self.places.append(Place(takes: takes, index: index)) }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { self.places.count }

    package subscript(number: Int) -> Take {
        // Not copied, as a set of ``Tape/Entry`` is not.
        _read { yield self.places[number].takes[self.places[number].index] }
    }
}
