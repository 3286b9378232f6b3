import Synchronization
import TapedeckCassettes
package import TapedeckCore
import TapedeckLocking

/// Changes to a session while it runs.
extension Session {
    /// Selects a variant of every set of that name.
    ///
    /// - Throws: ``SelectionError`` if the set or variant does not exist.
    package func select(_ variant: String, of set: String) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.select(variant, of: set) }
    }

    /// Applies a profile on top of those in force, for the sets and origins named, or for all.
    ///
    /// - Throws: ``SelectionError`` if the profile, set or origin does not exist.
    package func apply(profile: String, limitedTo targets: [String] = []) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.apply(profile: profile, limitedTo: targets) }
    }

    /// Returns whether the profile was in force.
    @discardableResult
    package func revert(profile: String) -> Bool {
        defer { self.noteSteered() }
        return self.state.withLock { $0.revert(profile: profile) }
    }

    /// Removes the selection of a set, and restarts its takes.
    ///
    /// - Throws: ``SelectionError`` if the set does not exist.
    package func reset(_ set: String) throws(SelectionError) {
        try self.steer { state throws(SelectionError) in try state.reset(set) }
    }

    /// Undoes every selection and profile, restarts all takes, and restores the initial state.
    package func resetAll() {
        self.state.withLock { $0.resetAll() }
        self.noteSteered()
    }

    /// Sets a key of the session's state; `nil` removes it.
    package func set(_ key: String, to value: String?) {
        self.state.withLock { $0.set(key, to: value) }
        self.noteSteered()
    }

    /// Adds a response set to this session only. It comes before those of the cassettes and those that were added
    /// earlier, and replaces an added one of the same name.
    package func add(_ set: ResponseSet) {
        self.retape { $0.add(set) }
    }

    /// Removes an added response set; returns false if there is none of that name.
    package func removeAdded(_ name: String) -> Bool {
        self.retape { $0.removeAdded(name) }
    }

    /// Removes all added response sets.
    package func removeAllAdded() {
        self.retape { $0.removeAllAdded() }
    }

    /// Continues with a changed tape. Requests in flight finish on the old one.
    ///
    /// - Returns: the selections that no longer exist.
    @discardableResult
    package func replaceTape(_ tape: Tape) -> [SelectionError] {
        self.retape { $0.replaceTape(tape) }
    }

    private func retape<Result: Sendable>(_ change: (inout SessionState) -> Result) -> Result {
        defer {
            // Otherwise the journal alone would keep unused tapes alive.
            self.journal.detachPlays()
            self.noteSteered()
        }
        return self.state.withLock { state in
            defer { self.asksForFields.store(state.mayAskForFields, ordering: .relaxed) }
            return change(&state)
        }
    }

    /// Has every request go to its origin, unplayed and unrecorded, until ``resume()``. Returns `false` where it does so
    /// already.
    package func pause() -> Bool {
        let isChanged = self.state.withLock { $0.pause() }
        if isChanged { self.noteMode() }
        return isChanged
    }

    /// Goes on as before ``pause()``. Returns `false` where it was not paused.
    package func resume() -> Bool {
        let isChanged = self.state.withLock { $0.resume() }
        if isChanged { self.noteMode() }
        return isChanged
    }

    private func noteMode() {
        self.modeNumber.store(LoopMetrics.Mode(self.mode).rawValue, ordering: .relaxed)
        self.noteSteered()
    }

    /// Goes on in another mode, or with another policy.
    package func change(mode: Mode, policy: UnmatchedPolicy?) {
        self.state.withLock { $0.change(mode: mode, policy: policy) }
        self.modeNumber.store(LoopMetrics.Mode(mode).rawValue, ordering: .relaxed)
        self.noteSteered()
    }

    /// Removes a cassette that was never created from those to play.
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
