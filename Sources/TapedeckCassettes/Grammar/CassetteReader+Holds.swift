import TapedeckCore
import TapedeckYAML

/// Variants that hold requests, which only sets that are added to a session have.
extension CassetteReader {
    /// - Parameters:
    ///   - key: the node of `hold`.
    ///   - isVariant: true directly in a variant, false in a nested behaviour.
    mutating func readHold(_ key: YAMLNode, _ value: YAMLNode, in node: YAMLNode, isVariant: Bool) -> Behaviour? {
        guard self.notation == .json else {
            self.error(
                key,
                "only a test or the control API can let a request go that is held, so no file has `hold`: add the set "
                    + "to a session"
            )
            return nil
        }
        guard value.bool == true else {
            self.error(value, "`hold` is true; leave it out in a variant that answers by itself")
            return nil
        }
        guard isVariant else {
            self.error(key, "`hold` must be the only behaviour of a variant, not a part of it")
            return nil
        }
        let other = node.pairs.map(\.key).filter { !["name", "hold"].contains($0.string) }
        for key in other where CassetteGrammar.variant.names.contains(key.string) {
            self.error(
                key,
                "`\(key.string)` does not go with `hold`: whoever lets the request go says what is answered"
            )
        }
        return Behaviour(.hold)
    }

    /// Reports `sets` in a set that holds requests, because holding changes no state.
    ///
    /// - Parameter sets: the node of the set's `sets`.
    mutating func checkHold(of set: ResponseSet, _ sets: YAMLNode?) {
        guard let sets, set.mayHold else { return }
        self.error(
            sets,
            "`sets` does not go with `hold`: whoever lets the request go can change the session's state, too"
        )
    }
}
