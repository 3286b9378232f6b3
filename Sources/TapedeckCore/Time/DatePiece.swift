/// A part of a written date: what to write there for another instant, in the same style.
enum DatePiece: Sendable, Hashable {
    /// Stays as it is.
    case text(String)
    /// Two or four digits.
    case year(digits: Int)
    case month
    case monthName(NameStyle)
    case weekday(NameStyle)
    /// At least `digits` digits, filled up with zeros or, where `isSpaced`, with spaces.
    case day(digits: Int, isSpaced: Bool)
    case hour(digits: Int)
    case minute
    case second
    /// As many digits; those beyond the third one stay as they are.
    case fraction(digits: Int, beyondMilliseconds: String)

    struct NameStyle: Sendable, Hashable {
        var isShort: Bool
        /// True if all its letters are capitals, false if none is; `nil` for a leading capital.
        var isUppercase: Bool?

        init(_ word: String, isShort: Bool) {
            self.isShort = isShort
            self.isUppercase = word == word.uppercased() ? true : word == word.lowercased() ? false : nil
        }

        func text(_ name: String) -> String {
            let name = self.isShort ? TimeNames.short(name) : name
            return switch self.isUppercase {
            case true?: name.uppercased()
            case false?: name.lowercased()
            case nil: name
            }
        }
    }

    /// Returns the text of this piece for a time of the years 0 to 9999.
    func text(_ civil: CivilTime) -> String {
        switch self {
        case .text(let text): text
        case .year(let digits): (digits == 2 ? civil.year % 100 : civil.year).padded(digits)
        case .month: civil.month.padded(2)
        case .monthName(let style): style.text(TimeNames.months[civil.month - 1])
        case .weekday(let style): style.text(TimeNames.weekdays[civil.weekday])
        case .day(let digits, let isSpaced): civil.day.padded(digits, with: isSpaced ? " " : "0")
        case .hour(let digits): civil.hour.padded(digits)
        case .minute: civil.minute.padded(2)
        case .second: civil.second.padded(2)
        case .fraction(let digits, let rest): civil.millisecond.padded(3).prefix(digits) + rest
        }
    }
}
