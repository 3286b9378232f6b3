extension Take {
    /// What stands in a cassette for a `Date` that is the time in `recorded`: the one line of a take that differs from one
    /// recording to the next.
    package static let recordedDate = "recorded"

    /// The `Date` of an answer that was given when the take was recorded (RFC 9110 section 6.6.1); `nil` for a take
    /// without a time.
    package var dateWhenRecorded: String? { self.recordedTime?.text(.http) }

    /// The time that a recording notes: that of the response's `Date` where it is within five minutes of the end of the
    /// exchange, so that the two need not be told apart, else the end itself.
    package static func timeRecorded(_ headers: [HeaderField], end: Instant) -> Instant {
        guard let date = headers.first(named: "date").flatMap({ Instant(httpDate: $0) }),
            abs(date.seconds - end.seconds) <= 300
        else { return end }
        return date
    }
}
