import TapedeckCore

extension ResponseSet {
    /// The set without the bodies of takes that are larger than `limit`, in bytes: an answer that repeats what a client
    /// just sent need not have them.
    func withoutBodies(over limit: Int) -> ResponseSet {
        var set = self
        for index in set.variants.indices {
            set.variants[index].behaviour.changeTakes { take in
                if take.body.decodedSize > limit { take.body = .none }
            }
        }
        return set
    }
}
