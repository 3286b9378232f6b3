extension Instant {
    /// The instant of an RFC 3339 date and time: seconds and offset must be there, a fraction may, and a space may
    /// stand for the `T` (RFC 3339 section 5.6). What is finer than a millisecond is cut off.
    package init?(rfc3339 text: String) {
        guard let date = NumericDate(Array(text.utf8)), date.hasSeconds, date.hasZone else { return nil }
        self = date.instant
    }

    /// The instant of an HTTP date, in any of its three forms (RFC 9110 section 5.6.7).
    package init?(httpDate text: String) {
        guard let date = WordedDate(Array(text.utf8), isStrict: true), date.offset == 0 else { return nil }
        self = date.instant
    }

    /// The instant of the `Expires` attribute of a cookie, as leniently as RFC 6265 section 5.1.1 wants it.
    package init?(cookieDate text: String) {
        guard let date = WordedDate(Array(text.utf8), isStrict: false) else { return nil }
        self = date.instant
    }
}
