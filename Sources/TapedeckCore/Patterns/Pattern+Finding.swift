extension Pattern {
    /// The result of searching a part of a subject.
    package enum Finding: Sendable, Equatable {
        /// The range of the match, and of its first capture, if that took part.
        case found(Range<Int>, capture: Range<Int>?)
        case absent
        /// Undecided: the work budget was exhausted first.
        case cutOff
    }

    /// Returns the first match that begins at or after `start`. Text before `start` is only for lookbehinds.
    package func first(
        in subject: UnsafeRawBufferPointer,
        from start: Int,
        scratch: PatternScratch
    ) -> Finding {
        guard start <= subject.count else { return .absent }
        scratch.makeRoom(captures: self.captureCount)
        switch scratch.run(self.program, subject, from: start) {
        case .unmatched: return .absent
        case .cutOff: return .cutOff
        case .matched:
            guard let range = scratch.range(ofCapture: 0, in: subject) else { return .absent }
            let capture = self.captureCount > 0 ? scratch.range(ofCapture: 1, in: subject) : nil
            return .found(range, capture: capture)
        }
    }
}
