/// A function that a template applies to a value: `{{uppercased(query.q)}}`.
enum TemplateFunction: String, CaseIterable {
    case capitalized
    case count
    case empty
    case equalzero
    case even
    case first
    case index
    case last
    case lowercased
    case minusone
    /// True for a value that is not there; the only function of such a value.
    case missing
    case odd
    case plusone
    case reversed
    case uppercased

    /// Returns the result for a text; `nil` if the function does not apply to texts.
    func apply(to text: String) -> TemplateValue? {
        switch self {
        case .capitalized: .text(Self.capitalized(text))
        case .empty: .flag(text.isEmpty)
        case .lowercased: .text(text.lowercased())
        case .reversed: .text(String(text.reversed()))
        case .uppercased: .text(text.uppercased())
        default: nil
        }
    }

    /// Returns the result for a number; `nil` if the function does not apply to numbers.
    func apply(to number: Int) -> TemplateValue? {
        switch self {
        case .equalzero: .flag(number == 0)
        case .even: .flag(number.isMultiple(of: 2))
        case .minusone: .number(number &- 1)
        case .odd: .flag(!number.isMultiple(of: 2))
        case .plusone: .number(number &+ 1)
        default: nil
        }
    }

    /// Returns the result for an item of a loop, as in `{{last()}}`; `nil` if the function does not apply to loops.
    func apply(to loop: TemplateLoop) -> TemplateValue? {
        switch self {
        case .even: .flag(loop.index.isMultiple(of: 2))
        case .first: .flag(loop.index == 0)
        case .index: .number(loop.index)
        case .last: .flag(loop.isLast)
        case .odd: .flag(!loop.index.isMultiple(of: 2))
        default: nil
        }
    }

    /// Returns the result for the items of a list; `nil` if the function does not apply to lists, or the list has no
    /// such item.
    ///
    /// - Parameter makeList: Makes a list of the same kind.
    func apply<Item>(
        to items: [Item],
        item: (Item) -> TemplateValue,
        list makeList: ([Item]) -> TemplateValue
    ) -> TemplateValue? {
        switch self {
        case .count: .number(items.count)
        case .empty: .flag(items.isEmpty)
        case .first: items.first.map(item)
        case .last: items.last.map(item)
        case .reversed: makeList(items.reversed())
        default: nil
        }
    }

    /// Returns the text with the first letter of each word in title case and the others in lower case. A word is a run
    /// of letters, combining marks and apostrophes that begins with a letter.
    private static func capitalized(_ text: String) -> String {
        var result = ""
        var isInWord = false
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            result += isInWord ? properties.lowercaseMapping : properties.titlecaseMapping
            if properties.isAlphabetic {
                isInWord = true
            } else if !properties.isGraphemeExtend, scalar != "'", scalar != "\u{2019}" {
                isInWord = false
            }
        }
        return result
    }
}
