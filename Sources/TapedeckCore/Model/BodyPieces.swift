/// How the body of a take is cut when it goes out piece by piece.
package struct BodyPieces: Sendable, Equatable {
    package enum Cut: Sendable, Equatable {
        /// Behind each event of an event stream; what is behind the last one is a piece, too.
        case events
        /// Pieces of so many bytes of the body without its content coding, each at least 1; the rest is the last one.
        case sizes([Int])
    }

    package var cut: Cut
    /// The time between two pieces, in milliseconds; `nil` where ``Take/recorded`` says when each came.
    package var pace: Int?

    package init(_ cut: Cut, pace: Int? = nil) {
        self.cut = cut
        self.pace = pace
    }

    /// Returns true if these header fields belong to an event stream that can be cut: one without a content coding.
    package static func areEvents(_ fields: [HeaderField]) -> Bool {
        guard let type = fields.first(named: "content-type"), !self.isCoded(fields) else { return false }
        let essence = type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return ASCII.equalsIgnoringCase(String(essence), "text/event-stream")
    }

    /// Returns true if a body with these header fields has a content coding, in which its pieces cannot be found.
    package static func isCoded(_ fields: [HeaderField]) -> Bool {
        fields.contains { $0.isNamed("content-encoding") && !ASCII.equalsIgnoringCase($0.value, "identity") }
    }

    // MARK: Ends

    /// Where the pieces of a body end, in rising order; the last one ends where the body does. No piece is empty.
    package func ends(of body: UnsafeRawBufferPointer) -> [Int] {
        var ends: [Int] = []
        if case .events = self.cut {
            var scanner = EventScanner()
            ends = scanner.scan(body)
        } else {
            ends = self.marks
        }
        return Self.ends(ends, length: body.count)
    }

    /// Returns the ends of all pieces from the known ones.
    package static func ends(_ known: [Int], length: Int) -> [Int] {
        guard length > 0 else { return [] }
        var ends = known
        // All ends that are too far are one: that of the body.
        if let first = ends.firstIndex(where: { $0 >= length }) { ends.removeSubrange(first...) }
        ends.append(length)
        return ends
    }

    /// Where pieces end whose sizes are given; empty for events. Whoever changes the length of a body, such as by
    /// putting values in the place of placeholders, moves them along and sets them again.
    package var marks: [Int] {
        get {
            guard case .sizes(let sizes) = self.cut else { return [] }
            var end = 0
            return sizes.map { size in
                end = end.addingReportingOverflow(size).overflow ? Int.max : end + size
                return end
            }
        }
        set {
            guard case .sizes = self.cut else { return }
            var start = 0
            self.cut = .sizes(
                newValue.compactMap { end in
                    // A piece that nothing is left of is none.
                    guard end > start else { return nil }
                    defer { start = end }
                    return end - start
                }
            )
        }
    }
}
