/// The times at which recorded pieces of a body are sent.
package enum StreamPace: Sendable, Equatable, CustomStringConvertible {
    /// All at once, as any other body.
    case instant
    /// As they came, all times multiplied by a factor.
    case recorded(factor: Double)

    /// An invalid pace, with advice.
    package struct Invalid: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter text: `instant`, `recorded`, or a multiple of the recorded time: `0.5x`, `2x`.
    package init(_ text: String) throws(Invalid) {
        switch text {
        case "instant": self = .instant
        case "recorded": self = .recorded(factor: 1)
        default:
            let number = text.dropLast()
            guard text.hasSuffix("x"), number.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }),
                let factor = Double(number)
            else {
                throw Invalid(description: "\"\(text)\" is none of instant, recorded and a multiple of it such as 0.5x")
            }
            guard factor > 0 else { throw Invalid(description: "\(text) takes no time: write instant") }
            guard factor < Self.limit else { throw Invalid(description: "\(text) is too slow: write less than 1000x") }
            self = .recorded(factor: factor)
        }
    }

    /// The factor for recorded times; `nil` if recorded times are not used.
    package var factor: Double? {
        switch self {
        case .instant: nil
        case .recorded(let factor): factor
        }
    }

    package var description: String {
        switch self {
        case .instant: return "instant"
        case .recorded(let factor):
            guard factor != 1 else { return "recorded" }
            let text = "\(factor)"
            return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)x"
        }
    }

    private static let limit = 1_000.0
}
