package import TapedeckControlAPI

/// Requests that wait until somebody lets them go.
extension SessionClient {
    /// The requests that are held, the oldest first, at most 16. A later version asks for the rest.
    ///
    /// - Parameters:
    ///   - version: only requests that were held after it: the version of the list before, or 0.
    ///   - time: how long to wait for one, whole milliseconds and at most 5 minutes; `nil` does not wait. The list is
    ///     empty when none came, and when the session has ended meanwhile or the deck stops.
    package func held(after version: Int = 0, within time: Duration? = nil) throws(ControlError) -> HeldList {
        let request = ControlRequest(
            "GET",
            self.path("held"),
            query: [("after", version == 0 ? nil : "\(version)"), ("within", time.map(ControlRequest.milliseconds))]
        )
        return try self.client.ask(request, patience: time ?? .zero)
    }

    /// Returns the tape's answer to a held request. It is determined once: repeating the call gives the same, and
    /// ``proceed(held:)`` sends it.
    package func tapeAnswer(ofHeld number: Int) throws(ControlError) -> TapeAnswerModel {
        try self.client.ask(ControlRequest("POST", self.path("held", "\(number)", "tape")))
    }

    /// Lets a request go on as if it had not been held.
    ///
    /// - Throws: ``ControlError``, with the problem `unknown-held` where the client is gone or somebody was first.
    package func proceed(held number: Int) throws(ControlError) {
        let body = try self.client.object(["proceed": "true"])
        try self.client.tell(ControlRequest("POST", self.path("held", "\(number)"), body: body))
    }

    /// Answers a request that is held.
    ///
    /// - Parameter json: a take as a cassette has it, which may also have a `delay`, written as JSON.
    /// - Throws: ``ControlError``, with the problem `unknown-held` where the client is gone or somebody was first.
    package func release(held number: Int, withTake json: String) throws(ControlError) {
        let body = try self.client.object(["take": json])
        try self.client.tell(ControlRequest("POST", self.path("held", "\(number)"), body: body))
    }
}
