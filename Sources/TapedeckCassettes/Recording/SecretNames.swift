package import TapedeckCore
import TapedeckRedaction

/// Names for secrets, each used once: the second secret that would be `access_token` is `access_token-2`.
package struct SecretNames {
    private var taken: Set<String>
    /// The number that may be free next, so that many secrets of one name cost little.
    private var next: [String: Int] = [:]

    /// - Parameter taken: names of other secrets.
    package init(taken: Set<String>) {
        self.taken = taken
    }

    /// A name that no other secret has, and that none will be given from now on.
    package mutating func unused(_ base: String) -> String {
        var name = base
        while self.taken.contains(name) {
            let number = self.next[base, default: 2]
            self.next[base] = number + 1
            // Names have at most 64 characters.
            let suffix = "-\(number)"
            name = base.prefix(64 - suffix.count) + suffix
        }
        self.taken.insert(name)
        return name
    }

    /// Returns a name without the number that makes it unique.
    package static func base(of name: String) -> String {
        guard let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]), number > 1 else {
            return name
        }
        return String(name[..<dash])
    }

    /// Names as a person reads them: `access_token (2000), password`, those with a number as one.
    package static func summary(_ names: [String]) -> String {
        var counts: [(base: String, count: Int)] = []
        for base in names.map(Self.base) {
            if let known = counts.firstIndex(where: { $0.base == base }) {
                counts[known].count += 1
            } else {
                counts.append((base, 1))
            }
        }
        let shown = counts.prefix(20).map { $0.count == 1 ? $0.base : "\($0.base) (\($0.count))" }
        let left = counts.count - shown.count
        return shown.joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
    }
}

/// The names that the places of secrets suggest, by their numbers in a vault.
package struct SecretSuggestions {
    /// In the order of their first places.
    package private(set) var numbers: [Int] = []
    private var byNumber: [Int: String] = [:]
    /// Names without a number.
    private(set) var named: Set<String> = []

    package init() {}

    package mutating func note(_ placeholder: SecretPlaceholder) {
        guard let number = placeholder.number else {
            self.named.insert(placeholder.name)
            return
        }
        if let name = self.byNumber[number] {
            // A name of a generic place is less useful.
            let isBetter = SecretVault.isGeneric(name) && !SecretVault.isGeneric(placeholder.name)
            if isBetter { self.byNumber[number] = placeholder.name }
        } else {
            self.numbers.append(number)
            self.byNumber[number] = placeholder.name
        }
    }

    package func name(_ number: Int) -> String { self.byNumber[number] ?? "secret" }

    /// Returns a unique name for each.
    ///
    /// - Parameter taken: names of other secrets, besides those that were noted without a number.
    package func names(besides taken: Set<String>) -> [Int: String] {
        var names = SecretNames(taken: taken.union(self.named))
        return self.numbers.reduce(into: [:]) { $0[$1] = names.unused(self.name($1)) }
    }
}
