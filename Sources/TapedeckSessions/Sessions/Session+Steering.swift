import Synchronization
import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking

/// Changes to a session while it runs.
extension Session {
    /// Selects a variant of every set of that name.
    ///
    /// - Throws: ``SelectionError`` when there is no such set or variant.
    package func select(_ variant: String, of set: String) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.select(variant, of: set) }
    }

    /// Applies a profile over those in force, for the sets and origins named, or for all.
    ///
    /// - Throws: ``SelectionError`` when there is no such profile, set or origin.
    package func apply(profile: String, limitedTo targets: [String] = []) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.apply(profile: profile, limitedTo: targets) }
    }

    /// Returns whether the profile was in force.
    @discardableResult
    package func revert(profile: String) -> Bool {
        defer { self.noteSteered() }
        return self.state.withLock { $0.revert(profile: profile) }
    }

    /// Takes back the selection of a set, and begins its takes anew.
    ///
    /// - Throws: ``SelectionError`` when there is no such set.
    package func reset(_ set: String) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.reset(set) }
    }

    /// Takes back every selection and profile, begins all takes anew, and makes the state what it was at first.
    package func resetAll() {
        self.state.withLock { $0.resetAll() }
        self.noteSteered()
    }

    /// Sets a key of the session's state; `nil` removes it.
    package func set(_ key: String, to value: String?) {
        self.state.withLock { $0.set(key, to: value) }
        self.noteSteered()
    }

    /// Adds a response set to this session alone. It is asked before those of the cassettes, and before those that were
    /// added earlier; one of the same name that was added before is replaced.
    package func add(_ set: ResponseSet) {
        self.retape { $0.add(set) }
    }

    /// Takes away a response set that was added; returns whether there was one of that name.
    package func removeAdded(_ name: String) -> Bool {
        self.retape { $0.removeAdded(name) }
    }

    /// Takes away all response sets that were added.
    package func removeAllAdded() {
        self.retape { $0.removeAllAdded() }
    }

    /// Goes on with a changed tape. Requests in flight finish on the old one.
    ///
    /// - Returns: what is selected and no longer there.
    @discardableResult
    package func replaceTape(_ tape: Tape) -> [SelectionError] {
        self.retape { $0.replaceTape(tape) }
    }

    private func retape<Result: Sendable>(_ change: (inout SessionState) -> Result) -> Result {
        defer {
            // The journal alone would keep tapes that nobody plays any more.
            self.journal.detachPlays()
            self.noteSteered()
        }
        return self.state.withLock { state in
            defer { self.asksForFields.store(state.tapes.asksForFields, ordering: .relaxed) }
            return change(&state)
        }
    }

    /// Goes on in another mode, or with another policy.
    package func change(mode: Mode, policy: UnmatchedPolicy?) {
        self.state.withLock { $0.change(mode: mode, policy: policy) }
        self.modeNumber.store(LoopMetrics.Mode(mode).rawValue, ordering: .relaxed)
        self.noteSteered()
    }

    /// Plays a cassette no more that never came to be.
    func exclude(_ cassette: CassetteLocation) {
        self.locations.withLock { locations in locations.removeAll { $0.path == cassette.path } }
    }

    /// Plays a cassette, too.
    func include(_ cassette: CassetteLocation) {
        self.locations.withLock { locations in
            if !locations.contains(where: { $0.path == cassette.path }) { locations.append(cassette) }
        }
    }

    private func steer(_ change: (inout SessionState) throws(SelectionError) -> Void) throws(SelectionError) {
        let problem = self.state.withLock { state -> SelectionError? in
            do throws(SelectionError) {
                try change(&state)
                return nil
            } catch {
                return error
            }
        }
        if let problem { throw problem }
        self.noteSteered()
    }
}
