/// The place of a take among those that were recorded.
package struct RecordedOrder: Comparable {
    var seconds: Int64
    /// The number of its request.
    var number: Int

    package static func < (left: RecordedOrder, right: RecordedOrder) -> Bool {
        (left.seconds, left.number) < (right.seconds, right.number)
    }
}

extension Take {
    /// The last of all for a take that was not recorded.
    package var recordedOrder: RecordedOrder {
        RecordedOrder(seconds: self.recordedTime?.seconds ?? .max, number: self.recordedNumber ?? .max)
    }
}

extension ResponseSet {
    /// The first of the recorded takes of the first variant that has some; `nil` if none is recorded.
    var firstRecorded: RecordedOrder? {
        self.variants.lazy.compactMap { variant in
            variant.behaviour.allTakes.lazy.filter { $0.recorded != nil }.map(\.recordedOrder).min()
        }.first
    }
}
