package import TapedeckControlAPI

/// Steers one session of a deck. Every call blocks its thread until the answer is there, and throws ``ControlError``.
package struct SessionClient: Sendable {
    let client: ControlClient
    package let id: String

    func path(_ rest: String...) -> [String] {
        ["sessions", self.id] + rest
    }

    /// Returns the session's state.
    package func get() throws(ControlError) -> SessionModel {
        try self.client.get(self.path())
    }

    /// Returns the session's report, also after its end.
    package func report() throws(ControlError) -> ReportModel {
        try self.client.get(self.path("report"))
    }

    /// Ends the session. A recording of it is saved.
    package func end() throws(ControlError) -> ReportModel {
        try self.client.ask(ControlRequest("DELETE", self.path()))
    }

    /// Undoes every selection and profile, restarts all takes, and restores the initial state.
    package func reset() throws(ControlError) {
        try self.client.tell(ControlRequest("POST", self.path("reset")))
    }

    /// Has every request go to its origin, unplayed and unrecorded, until ``resume()``.
    package func pause() throws(ControlError) {
        try self.client.tell(ControlRequest("POST", self.path("pause")))
    }

    /// Goes on as before ``pause()``.
    package func resume() throws(ControlError) {
        try self.client.tell(ControlRequest("POST", self.path("resume")))
    }

    // MARK: Response sets

    /// The number of sets per request.
    private static let pageSize = 500

    /// Returns the response sets, in the order in which they are tried.
    ///
    /// - Parameter search: only those whose name or request contains this.
    package func sets(search: String? = nil) throws(ControlError) -> [SetModel] {
        var sets: [SetModel] = []
        while true {
            let page: SetList = try self.client.get(
                self.path("sets"),
                query: [("search", search), ("offset", "\(sets.count)"), ("limit", "\(Self.pageSize)")]
            )
            sets += page.sets
            guard !page.sets.isEmpty, sets.count < page.total else { return sets }
        }
    }

    /// The variants that are selected, by the names of their sets.
    package func selections() throws(ControlError) -> [String: String] {
        try (self.client.get(self.path("selections")) as SelectionsModel).selections
    }

    /// - Parameter keeps: writes it into the cassette's file too, so that it outlives the session.
    package func select(_ variant: String, of set: String, keeps: Bool = false) throws(ControlError) {
        let body = try self.client.encode(SelectionModel(variant: variant, keeps: keeps ? true : nil))
        try self.client.tell(ControlRequest("PUT", self.path("selections", set), body: body))
    }

    /// Undoes the selection of a set, and restarts its takes.
    package func deselect(_ set: String) throws(ControlError) {
        try self.client.tell(ControlRequest("DELETE", self.path("selections", set)))
    }

    /// Adds a response set to this session alone, in front of the cassettes' own.
    ///
    /// - Parameter json: the set as a cassette has it, written as JSON.
    package func add(_ name: String, json: String) throws(ControlError) {
        try self.client.tell(ControlRequest("PUT", self.path("added", name), body: Array(json.utf8)))
    }

    /// Sends a body file for sets that are added and answers to held requests: `body: { file: NAME }` names it there.
    package func send(file name: String, _ bytes: [UInt8]) throws(ControlError) {
        var request = ControlRequest("PUT", self.path("files", name), body: bytes)
        request.contentType = "application/octet-stream"
        _ = try self.client.transport.body(of: request, patience: .seconds(300))
    }

    /// Takes away a set that was added.
    package func removeAdded(_ name: String) throws(ControlError) {
        try self.client.tell(ControlRequest("DELETE", self.path("added", name)))
    }

    // MARK: Profiles and state

    /// The profiles there are, in the order of the cassettes.
    package func profiles() throws(ControlError) -> [ProfileModel] {
        try (self.client.get(self.path("profiles")) as ProfileList).profiles
    }

    /// Applies a profile on top of those in force.
    ///
    /// - Parameter targets: the sets and origins it is limited to; empty means all.
    package func apply(profile: String, only targets: [String] = []) throws(ControlError) {
        let body = try self.client.encode(ProfileLimits(only: targets.isEmpty ? nil : targets))
        try self.client.tell(ControlRequest("PUT", self.path("profiles", profile), body: body))
    }

    package func revert(profile: String) throws(ControlError) {
        try self.client.tell(ControlRequest("DELETE", self.path("profiles", profile)))
    }

    /// The session's state.
    package func state() throws(ControlError) -> [String: String] {
        try (self.client.get(self.path("state")) as StateModel).state.compactMapValues { $0 }
    }

    /// Changes the session's state; `nil` removes a key.
    package func set(_ changes: [String: String?]) throws(ControlError) {
        let body = try self.client.encode(StateModel(state: changes))
        try self.client.tell(ControlRequest("PATCH", self.path("state"), body: body))
    }

    // MARK: Recording

    /// Begins to record.
    ///
    /// - Parameters:
    ///   - mode: `record` or `append`; `nil` is `append`, with a variant `record`.
    ///   - variant: saves the recording as this variant of the response sets; `nil` records the defaults.
    package func startRecording(
        into cassette: String,
        mode: String? = nil,
        variant: String? = nil
    ) throws(ControlError) -> RecordingModel {
        let recording = RecordingModel(cassette: cassette, mode: mode, variant: variant)
        return try self.client.send("PUT", self.path("recording"), recording)
    }

    /// Ends the recording and has the cassette written.
    package func stopRecording() throws(ControlError) -> RecordingModel {
        try self.client.ask(ControlRequest("DELETE", self.path("recording")))
    }

    /// Saves answers of the journal as a variant of the response sets that answer their requests.
    ///
    /// - Parameters:
    ///   - numbers: the numbers of the requests; `nil` is all that `matcher` matches.
    ///   - matcher: only requests that match this: the `request` of a response set, written as JSON.
    ///   - cassette: `nil` is the one that played the answers, else the session's first.
    package func keep(
        _ numbers: [Int]?,
        matching matcher: String? = nil,
        as variant: String,
        in cassette: String? = nil
    ) throws(ControlError) -> RecordingModel {
        let body = try self.client.object([
            "cassette": try cassette.map { name throws(ControlError) in try self.client.text(name) },
            "variant": try self.client.text(variant),
            "numbers": numbers.map { "[\($0.map(String.init).joined(separator: ","))]" },
            "request": matcher,
        ])
        return try self.client.ask(ControlRequest("POST", self.path("keep"), body: body))
    }

    /// Writes what the session passed on, and its journal still holds, into a cassette.
    ///
    /// - Parameter matcher: only requests that match this: the `request` of a response set, written as JSON.
    package func snapshot(into cassette: String, matching matcher: String? = nil) throws(ControlError) -> RecordingModel
    {
        let body = try self.client.object(["cassette": try self.client.text(cassette), "request": matcher])
        return try self.client.ask(ControlRequest("POST", self.path("snapshot"), body: body))
    }
}
