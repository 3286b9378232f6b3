/// The number of requests that are expected.
public enum ExpectedCount: Sendable, Equatable, CustomStringConvertible {
    /// Exactly this many.
    case exactly(Int)
    /// This number or more.
    case atLeast(Int)
    /// This number or fewer.
    case atMost(Int)
    /// A number in this range.
    case between(ClosedRange<Int>)
    /// None.
    case never

    func holds(for count: Int) -> Bool {
        switch self {
        case .exactly(let expected): count == expected
        case .atLeast(let expected): count >= expected
        case .atMost(let expected): count <= expected
        case .between(let range): range.contains(count)
        case .never: count == 0
        }
    }

    public var description: String {
        switch self {
        case .exactly(let count): "exactly \(Self.requests(count))"
        case .atLeast(let count): "at least \(Self.requests(count))"
        case .atMost(let count): "at most \(Self.requests(count))"
        case .between(let range): "\(range.lowerBound) to \(Self.requests(range.upperBound))"
        case .never: "no request"
        }
    }

    static func requests(_ count: Int) -> String { count == 1 ? "1 request" : "\(count) requests" }
}
