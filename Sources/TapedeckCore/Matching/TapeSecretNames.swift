/// The names of a tape's secrets, and which of them are of one kind: `password` and `password-2` are.
package struct TapeSecretNames: Sendable {
    /// All of them, those of one kind in the order in which a recording used them first, else `password` before `password-2`.
    package let all: [String]
    /// The places of the names of each kind, which are adjacent.
    private let kinds: [String: Range<Int>]
    let firstUses: [String: RecordedOrder]
    /// The shapes of those that have one.
    let shapes: [String: String]
    /// Those that tell users apart: conditions on one header field or cookie name several of them. Each is for one value,
    /// so that a further user does not get another's answers.
    let credentials: Set<String>
    /// Codes that an answer gives for one request (RFC 6749 section 4.1.2): once it has played, no other value is that code.
    let codes: Set<String>

    /// - Parameter firstUses: the first recorded request with each name.
    init(
        _ names: Set<String>,
        firstUses: [String: RecordedOrder] = [:],
        shapes: [String: String] = [:],
        credentials: Set<String> = [],
        codes: Set<String> = []
    ) {
        self.codes = codes
        self.firstUses = firstUses
        self.shapes = shapes
        self.credentials = credentials
        let last = RecordedOrder(seconds: .max, number: .max)
        self.all = names.sorted { left, right in
            guard SecretMention.base(left) == SecretMention.base(right) else {
                return SecretMention.precedes(left, right)
            }
            let (one, other) = (firstUses[left] ?? last, firstUses[right] ?? last)
            return one == other ? SecretMention.precedes(left, right) : one < other
        }
        var kinds: [String: Range<Int>] = [:]
        for (place, name) in self.all.enumerated() {
            let kind = SecretMention.base(name)
            kinds[kind] = (kinds[kind]?.lowerBound ?? place)..<(place + 1)
        }
        self.kinds = kinds
    }

    var isEmpty: Bool { self.all.isEmpty }

    /// True for a name whose value is somebody's own once it is known.
    func isOwn(_ name: String) -> Bool { self.credentials.contains(name) || self.codes.contains(name) }

    /// The names of the same kind as `name`, and those in front of and behind them.
    func ofKind(_ name: String) -> (own: ArraySlice<String>, before: ArraySlice<String>, behind: ArraySlice<String>) {
        let own = self.kinds[SecretMention.base(name)] ?? 0..<0
        return (self.all[own], self.all[..<own.lowerBound], self.all[own.upperBound...])
    }
}
