package import TapedeckControlAPI

/// Requests that wait until they are released.
extension SessionClient {
    /// Returns the held requests, the oldest first, at most 16. Pass the list's version to get the rest.
    ///
    /// - Parameters:
    ///   - version: only requests that were held after it: the version of the list before, or 0.
    ///   - time: the maximum time to wait for one, in whole milliseconds and at most 5 minutes; `nil` does not wait.
    ///     The list is empty if none came, the session has ended or the deck stops.
    package func held(after version: Int = 0, within time: Duration? = nil) throws(ControlError) -> HeldList {
        let request = ControlRequest(
            "GET",
            self.path("held"),
            query: [("after", version == 0 ? nil : "\(version)"), ("within", time.map(ControlRequest.milliseconds))]
        )
        return try self.client.ask(request, patience: time ?? .zero)
    }

    /// Returns the whole body of a held request, without its content coding.
    ///
    /// - Throws: ``ControlError``, with the problem `held-body-limit` for one that the deck did not keep.
    package func body(ofHeld number: Int) throws(ControlError) -> [UInt8] {
        let request = ControlRequest("GET", self.path("held", "\(number)", "body"))
        return try self.client.transport.body(of: request, patience: .seconds(300))
    }

    /// Returns the tape's answer to a held request. It is determined once: repeating the call gives the same, and
    /// ``proceed(held:)`` sends it.
    package func tapeAnswer(ofHeld number: Int) throws(ControlError) -> TapeAnswerModel {
        try self.client.ask(ControlRequest("POST", self.path("held", "\(number)", "tape")))
    }

    /// Releases a request as if it had not been held.
    ///
    /// - Throws: ``ControlError``, with the problem `unknown-held` if the client has disconnected or the request was
    ///   already released.
    package func proceed(held number: Int) throws(ControlError) {
        let body = try self.client.object(["proceed": "true"])
        try self.client.tell(ControlRequest("POST", self.path("held", "\(number)"), body: body))
    }

    /// Answers a held request.
    ///
    /// - Parameter json: a take in a cassette's form, as JSON, which may also have a `delay`.
    /// - Throws: ``ControlError``, with the problem `unknown-held` if the client has disconnected or the request was
    ///   already released.
    package func release(held number: Int, withTake json: String) throws(ControlError) {
        let body = try self.client.object(["take": json])
        try self.client.tell(ControlRequest("POST", self.path("held", "\(number)"), body: body))
    }

    /// Begins an answer to a request that is held; its body follows with ``send(_:ofHeld:)``.
    ///
    /// - Parameter json: a take with `status`, `reason` and `headers`, written as JSON.
    /// - Throws: ``ControlError``, with the problem `unknown-held` where the client is gone or somebody was first.
    package func open(held number: Int, withHead json: String) throws(ControlError) {
        let body = try self.client.object(["open": json])
        try self.client.tell(ControlRequest("POST", self.path("held", "\(number)"), body: body))
    }

    /// Sends a part of an answer that was begun.
    ///
    /// - Throws: ``ControlError``, with the problem `unknown-open-answer` where the client is gone or it has ended.
    package func send(_ bytes: [UInt8], ofHeld number: Int) throws(ControlError) {
        var request = ControlRequest("POST", self.path("held", "\(number)", "body"), body: bytes)
        request.contentType = "application/octet-stream"
        try self.client.tell(request)
    }

    /// Ends an answer that was begun.
    ///
    /// - Parameter ending: `complete`, `cut` or `reset`.
    /// - Throws: ``ControlError``, with the problem `unknown-open-answer` where the client is gone or it has ended.
    package func end(held number: Int, _ ending: String) throws(ControlError) {
        let body = try self.client.object(["ending": try self.client.text(ending)])
        try self.client.tell(ControlRequest("POST", self.path("held", "\(number)", "end"), body: body))
    }
}
