import TapedeckCore

/// Requests that are answered when something has happened.
extension Call {
    /// The longest time that may be waited for, in milliseconds. 5 minutes.
    static let longestWait: Int64 = 300_000

    /// Parses the time that a client wants to wait.
    ///
    /// - Parameter problem: makes an error with the reason.
    static func patience(_ text: String, _ problem: (String) -> Problem) throws -> Duration {
        do {
            let span = try TimeSpan(text)
            guard span.milliseconds <= self.longestWait else {
                throw problem("`\(text)` is too long; wait at most 5m at a time")
            }
            return .milliseconds(span.milliseconds)
        } catch let error as TimeSpan.Problem {
            throw problem(error.description)
        }
    }

    /// Waits, and answers with the result. Cancelled when the client disconnects.
    ///
    /// - Throws: ``Problem`` if too many requests wait already, or the server stops.
    func answer(
        after waiting: @escaping @Sendable () async throws -> some Encodable & Sendable
    ) async throws -> Response {
        let slot = try self.service.longRequests.enter()
        let result = try await self.request.whileClientWaits(waiting)
        return try withExtendedLifetime(slot) {
            var response = try Reply.json(result)
            // Some clients pool connections by time, and this one was silent for long.
            response["Connection"] = "close"
            return response
        }
    }
}
