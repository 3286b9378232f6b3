/// The pieces in which the body of a take is sent.
package struct BodyPieces: Sendable, Equatable {
    package enum Cut: Sendable, Equatable {
        /// Behind each event of an event stream; what is behind the last one is a piece, too.
        case events
        /// Behind each message of a call.
        case messages
        /// The sizes in bytes of the pieces of the body without its content coding, each at least 1; the last piece is
        /// the rest.
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

    /// Returns the ends of the pieces of a body, ascending; the last one is the end of the body. No piece is empty.
    package func ends(of body: UnsafeRawBufferPointer) -> [Int] {
        var finder = PieceFinder(self)
        return Self.ends(finder.take(body), length: body.count)
    }

    /// True if the body itself says where its pieces end.
    package var isFound: Bool {
        switch self.cut {
        case .events, .messages: true
        case .sizes: false
        }
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

    /// The ends of pieces with given sizes; empty for all others. Code that changes the length of a body, for example by
    /// filling in placeholders, moves them along and sets them again.
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
                    // An empty piece does not count.
                    guard end > start else { return nil }
                    defer { start = end }
                    return end - start
                }
            )
        }
    }
}

/// Finds where the pieces of a body end, as it comes.
package struct PieceFinder: Sendable {
    private enum State: Sendable {
        case events(EventScanner)
        case messages(MessageCounter)
        case marks([Int])
    }

    private var state: State

    package init(_ pieces: BodyPieces) {
        self.state =
            switch pieces.cut {
            case .events: .events(EventScanner())
            case .messages: .messages(MessageCounter())
            case .sizes: .marks(pieces.marks)
            }
    }

    /// Takes the next bytes. Returns where pieces end in them, counted from the first byte of all; where the sizes are given,
    /// all ends with the first bytes.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Int] {
        switch self.state {
        case .events(var scanner):
            let ends = scanner.scan(bytes)
            self.state = .events(scanner)
            return ends
        case .messages(var counter):
            let ends = counter.take(bytes)
            self.state = .messages(counter)
            return ends
        case .marks(let marks):
            self.state = .marks([])
            return marks
        }
    }
}
