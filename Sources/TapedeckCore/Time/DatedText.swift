/// A text that consists of a date, and the format in which it was written.
///
/// Known forms: RFC 3339 with an offset, with `Z`, with neither, with a space for the `T`, with any number of fraction
/// digits; `2026-11-21`; HTTP's dates in all three forms; cookie dates with dashes; dates of mail with an offset.
/// Numbers are separate: see ``shiftedNumber(_:byMilliseconds:)``.
package struct DatedText: Sendable, Hashable {
    /// The instant; without an offset, in UTC.
    package let instant: Instant
    private let text: String
    private let pieces: [DatePiece]
    private let offset: Int64

    /// Returns `nil` if the text is not a date.
    package init?(_ text: String) {
        // A text that does not begin like a date is rejected at once, because every text of a body is tried.
        guard let first = text.utf8.first, first < 0x7B, text.utf8.count <= 64 else { return nil }
        let bytes = Array(text.utf8)
        if let date = NumericDate(bytes) {
            (self.instant, self.pieces, self.offset) = (date.instant, date.pieces, date.offset)
        } else if let date = WordedDate(bytes, isStrict: true) {
            (self.instant, self.pieces, self.offset) = (date.instant, date.pieces, date.offset)
        } else {
            return nil
        }
        self.text = text
    }

    /// Returns the date moved by a number of milliseconds, in the same format: the same offset, the same number of
    /// digits, everything else byte for byte. Digits for which the format has no room are cut off. A date that would
    /// leave the years 0 to 9999 stays unchanged, such as `Expires` in the year 9999.
    package func shifted(byMilliseconds milliseconds: Int64) -> String {
        let moved = self.instant.advanced(byMilliseconds: milliseconds).advanced(byMilliseconds: self.offset)
        let civil = CivilTime(moved)
        guard milliseconds != 0, (0...9_999).contains(civil.year) else { return self.text }
        return self.pieces.map { $0.text(civil) }.joined()
    }

    /// Returns a number of seconds (10 digits) or milliseconds (13 digits) since 1970, shifted, with as many decimals,
    /// or `nil` if the text is not such a number.
    package static func shiftedNumber(_ text: String, byMilliseconds milliseconds: Int64) -> String? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            whole.utf8.count == 10 || whole.utf8.count == 13, let number = Int64(whole)
        else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard whole.utf8.count == 10 else {
            let moved = number.addingSaturating(milliseconds)
            return moved < 0 ? text : parts.count == 2 ? "\(moved).\(decimals)" : String(moved)
        }
        let known = (decimals + "000").prefix(3)
        let moved = (number * 1_000 + (Int64(known) ?? 0)).addingSaturating(milliseconds)
        guard moved >= 0 else { return text }
        let digits = (moved % 1_000).padded(3).prefix(min(3, decimals.utf8.count)) + decimals.dropFirst(3)
        return digits.isEmpty ? String(moved / 1_000) : "\(moved / 1_000).\(digits)"
    }
}
