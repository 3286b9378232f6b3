/// The names of a tape's secrets, and which of them are of one kind: `password` and `password-2` are.
package struct TapeSecretNames: Sendable {
    /// All of them, those of one kind in the order in which a recording used them first, else `password` before `password-2`.
    package let all: [String]
    /// The places of the names of each kind, which are adjacent.
    private let kinds: [String: Range<Int>]
    let firstUses: [String: RecordedOrder]
    /// The descriptions of those that have one.
    let secrets: [SecretDescription]
    /// The shapes of those that have one.
    let shapes: [String: String]
    /// The digests of those that are one known value: see ``SecretDescription/sha256``.
    let digests: [String: String]
    /// Those of them whose digest is that of the value with small letters.
    let caseless: Set<String>
    /// Those that are no other value than that of their digest.
    let exact: Set<String>
    /// Those by the first digits of their digests.
    private let exactByDigest: [Substring: [String]]
    /// Those that tell users apart: conditions on one header field or cookie name several of them. Each is for one value,
    /// so that a further user does not get another's answers.
    let credentials: Set<String>
    /// Codes that an answer gives for one request (RFC 6749 section 4.1.2): once it has played, no other value is that code.
    let codes: Set<String>

    /// - Parameter firstUses: the first recorded request with each name.
    init(
        _ names: Set<String>,
        firstUses: [String: RecordedOrder] = [:],
        secrets: [SecretDescription] = [],
        credentials: Set<String> = [],
        codes: Set<String> = []
    ) {
        self.codes = codes
        self.firstUses = firstUses
        // The first description of a name counts.
        var described: Set<String> = []
        let secrets = secrets.filter { described.insert($0.name).inserted }
        self.secrets = secrets
        self.shapes = Dictionary(
            uniqueKeysWithValues: secrets.compactMap { secret in secret.shape.map { (secret.name, $0) } }
        )
        let digests = Dictionary(
            uniqueKeysWithValues: secrets.compactMap { secret in secret.sha256.map { (secret.name, $0) } }
        )
        self.digests = digests
        self.caseless = Set(secrets.filter(\.ignoresCase).map(\.name))
        let exact = Set(secrets.filter { $0.refusesOtherValues && $0.sha256 != nil }.map(\.name))
        self.exact = exact
        self.exactByDigest = Dictionary(grouping: exact.sorted()) { [digests] name in
            digests[name, default: ""].prefix(SecretDescription.digestLength)
        }
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

    /// Returns the SHA-256 digest of a value, or of the value with small ASCII letters.
    typealias DigestOfValue = (_ inLowerCase: Bool) -> String?

    /// Returns true if a value is the secret of a name, as its digest tells.
    func isValue(of name: String, digest: DigestOfValue) -> Bool {
        guard let wanted = self.digests[name] else { return false }
        return digest(self.caseless.contains(name))?.hasPrefix(wanted) ?? false
    }

    /// Returns true if a value may be the secret of a name, as far as its digest tells.
    func mayBeValue(of name: String, digest: DigestOfValue) -> Bool {
        !self.exact.contains(name) || self.isValue(of: name, digest: digest)
    }

    /// The names whose one value a value is: cassettes that play together may each have one.
    func exactNames(digest: DigestOfValue) -> [String] {
        guard !self.exact.isEmpty else { return [] }
        return Set([false, true].compactMap { digest($0)?.prefix(SecretDescription.digestLength) }).sorted()
            .flatMap { self.exactByDigest[$0] ?? [] }
            .filter { self.isValue(of: $0, digest: digest) }
    }

    /// The names of the same kind as `name`, and those in front of and behind them.
    func ofKind(_ name: String) -> (own: ArraySlice<String>, before: ArraySlice<String>, behind: ArraySlice<String>) {
        let own = self.kinds[SecretMention.base(name)] ?? 0..<0
        return (self.all[own], self.all[..<own.lowerBound], self.all[own.upperBound...])
    }
}
