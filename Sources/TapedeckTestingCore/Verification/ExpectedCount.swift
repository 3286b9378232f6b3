/// How many requests are expected.
public enum ExpectedCount: Sendable, Equatable, CustomStringConvertible {
    /// Just so many.
    case exactly(Int)
    /// So many or more.
    case atLeast(Int)
    /// So many or fewer.
    case atMost(Int)
    /// None.
    case never

    func holds(for count: Int) -> Bool {
        switch self {
        case .exactly(let expected): count == expected
        case .atLeast(let expected): count >= expected
        case .atMost(let expected): count <= expected
        case .never: count == 0
        }
    }

    public var description: String {
        switch self {
        case .exactly(let count): "exactly \(Self.requests(count))"
        case .atLeast(let count): "at least \(Self.requests(count))"
        case .atMost(let count): "at most \(Self.requests(count))"
        case .never: "no request"
        }
    }

    static func requests(_ count: Int) -> String { count == 1 ? "1 request" : "\(count) requests" }
}
