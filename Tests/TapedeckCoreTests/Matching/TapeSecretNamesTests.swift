import Testing

@testable import TapedeckCore

/// The names of a tape's secrets, and the order in which a value that the tape does not know tries them.
@Suite struct TapeSecretNamesTests {
    private static let names = TapeSecretNames([
        "token-10", "password", "token", "api-key", "token-2", "password-2", "session",
    ])

    private static let matchRequest = MatchRequest(
        RequestKey(method: "GET", url: AbsoluteURL(origin: Origin(scheme: .http, host: "a.test"), target: "/"))
    )

    @Test func namesOfOneKindAreTogetherAndInOrder() {
        #expect(
            Self.names.all == ["api-key", "password", "password-2", "session", "token", "token-2", "token-10"]
        )
        #expect(Array(Self.names.ofKind("token-7").own) == ["token", "token-2", "token-10"])
        #expect(Array(Self.names.ofKind("password").before) == ["api-key"])
        #expect(Array(Self.names.ofKind("password").behind) == ["session", "token", "token-2", "token-10"])
        #expect(Self.names.ofKind("cookie").own.isEmpty)
        #expect(Array(Self.names.ofKind("cookie").behind) == Self.names.all)
    }

    private func tried(
        _ name: String,
        after bound: [Int: String] = [:],
        fixed: Set<String> = [],
        onlyOwnKind: Bool = false
    ) -> [String?] {
        var bindings = SecretBindings()
        bindings.bind(bound, vault: 1)
        let request = RedactedRequest(
            vault: 1,
            unknown: [.init(number: 9, name: name)],
            hasForms: false,
            fixed: fixed
        ) { _, _ in
            Self.matchRequest
        }
        return bindings.attempts(request, names: Self.names, onlyOwnKind: onlyOwnKind).map { $0.names[9] }
    }

    @Test func unusedNamesOfTheSameKindAreTriedFirstAndFixedOnesLast() {
        #expect(self.tried("token", onlyOwnKind: true) == ["token", "token-2", "token-10"])
        #expect(self.tried("token", after: [3: "token"], onlyOwnKind: true) == ["token-2", "token-10", "token"])
        #expect(
            self.tried("token", after: [3: "token-2", 4: "session"], fixed: ["token", "api-key"])
                == ["token-10", "token-2", "token", "password", "password-2", "session", "api-key"]
        )
        #expect(self.tried("cookie", onlyOwnKind: true) == ["cookie"])
        #expect(self.tried("token", after: [9: "password"]) == ["password"])
    }

    /// Names for a value with a digest, where `password` is known by its digest, and `password-2` is that value alone.
    private func triedWithDigest(_ digest: String, inLowerCase: String = "") -> [String?] {
        let names = TapeSecretNames(
            ["password", "password-2", "password-3"],
            secrets: [
                SecretDescription(name: "password", sha256: "aaaa"),
                SecretDescription(name: "password-2", sha256: "bbbb", refusesOtherValues: true),
                SecretDescription(name: "password-3", sha256: "cccc", refusesOtherValues: true, ignoresCase: true),
            ]
        )
        let request = RedactedRequest(
            vault: 1,
            unknown: [.init(number: 9, name: "password")],
            hasForms: false,
            digest: { _, isLow in isLow ? inLowerCase : digest },
            make: { _, _ in Self.matchRequest }
        )
        return SecretBindings().attempts(request, names: names, onlyOwnKind: true).map { $0.names[9] }
    }

    @Test func aValueIsTheSecretOfItsDigest() {
        #expect(self.triedWithDigest("aaaa0") == ["password"])
        #expect(self.triedWithDigest("bbbb0") == ["password-2", "password"])
        #expect(self.triedWithDigest("dddd0", inLowerCase: "cccc0") == ["password-3", "password"])
        // Only the first may be another value.
        #expect(self.triedWithDigest("dddd0") == ["password"])
    }

    private static let users = TapeSecretNames(
        ["api-key", "token", "token-2"],
        secrets: [
            SecretDescription(name: "token", shape: "ghp_[A-Za-z0-9]{36}"),
            SecretDescription(name: "token-2", shape: "[A-Za-z0-9]{32}"),
        ],
        credentials: ["token", "token-2"]
    )

    private func triedUser(shape: String = "", after bound: [Int: String] = [:], fixed: Set<String> = []) -> [String?] {
        var bindings = SecretBindings()
        bindings.bind(bound, vault: 1)
        let request = RedactedRequest(
            vault: 1,
            unknown: [.init(number: 9, name: "token")],
            hasForms: false,
            fixed: fixed,
            look: { number in { number == 9 && $0 == shape } },
            make: { _, _ in Self.matchRequest }
        )
        return bindings.attempts(request, names: Self.users, onlyOwnKind: true).map { $0.names[9] }
    }

    @Test func aCredentialIsForOneUser() {
        #expect(self.triedUser() == ["token", "token-2"])
        #expect(self.triedUser(after: [3: "token"]) == ["token-2"])
        #expect(self.triedUser(after: [3: "token"], fixed: ["token-2"]) == ["another user"])
        #expect(self.triedUser(after: [3: "token", 4: "token-2"]) == ["another user"])
        #expect(self.triedUser(after: [9: "token", 4: "token-2"]) == ["token"])
    }

    @Test func theNameWithTheShapeOfAValueIsTriedFirst() {
        #expect(self.triedUser(shape: "[A-Za-z0-9]{32}") == ["token-2", "token"])
        #expect(self.triedUser(shape: "[a-z]{3}") == ["token", "token-2"])
        #expect(self.triedUser(shape: "ghp_[A-Za-z0-9]{36}", after: [3: "token"]) == ["token-2"])
    }

    @Test func namesAreTriedUpToALimit() {
        let many = TapeSecretNames(Set((2...5_000).map { "token-\($0)" }))
        let request = RedactedRequest(
            vault: 1,
            unknown: [.init(number: 1, name: "token"), .init(number: 2, name: "cookie")],
            hasForms: false
        ) { _, _ in
            Self.matchRequest
        }
        let attempts = SecretBindings().attempts(request, names: many, onlyOwnKind: false)
        #expect(attempts.count == 64)
        #expect(attempts.first?.names == [1: "token-2", 2: "token-2"])
    }

    @Test func aDigestKeepsTheLimitToo() {
        let names = (2...100).map { "token-\($0)" }
        let many = TapeSecretNames(
            Set(names),
            secrets: names.enumerated().map { SecretDescription(name: $1, sha256: String(10_000 + $0)) }
        )
        let request = RedactedRequest(
            vault: 1,
            unknown: [.init(number: 1, name: "token")],
            hasForms: false,
            digest: { _, _ in "10050" },
            make: { _, _ in Self.matchRequest }
        )
        let attempts = SecretBindings().attempts(request, names: many, onlyOwnKind: false)
        #expect(attempts.count == 64)
        #expect(attempts.first?.names == [1: "token-52"])
    }

    @Test func theFirstDescriptionOfANameCounts() {
        let names = TapeSecretNames(
            ["token"],
            secrets: [
                SecretDescription(name: "token", sha256: "aaaa"),
                SecretDescription(name: "token", sha256: "bbbb", refusesOtherValues: true, ignoresCase: true),
            ]
        )
        #expect(names.isValue(of: "token") { $0 ? "none" : "aaaa" })
        #expect(names.mayBeValue(of: "token") { _ in "cccc" })
    }
}
