/// The kinds of values that tell on which machine a recording was made. Placeholders stand for them, and play as the values are
/// where the replay runs.
///
/// A user's name is none of them: it is as often the name of an account, which the tests ask for.
package enum MachineIdentity: String, Sendable, CaseIterable {
    case folder
    case home
    case tmpdir
    case host

    /// The variable of the environment that has the value.
    package var variable: String {
        switch self {
        case .folder: "PWD"
        case .home: "HOME"
        case .tmpdir: "TMPDIR"
        case .host: "HOSTNAME"
        }
    }

    /// The shape of the value that plays where the variable is not known.
    package var shape: String {
        switch self {
        case .folder: "/home/user/project"
        case .home: "/home/user"
        case .tmpdir: "/tmp/user"
        case .host: "host-1"
        }
    }

    package init?(variable: String?) {
        guard let kind = Self.allCases.first(where: { $0.variable == variable }) else { return nil }
        self = kind
    }

    /// Returns true for a value that other machines do not have, too.
    package func isTelling(_ value: String) -> Bool {
        switch self {
        case .folder, .home, .tmpdir:
            let parts = value.split(separator: "/")
            return value.hasPrefix("/") && value.utf8.count >= 8 && parts.count >= 2
                && !parts.allSatisfy { Self.commonFolders.contains(ASCII.lowercased(String($0))) }
        case .host:
            let isWord = value.utf8.allSatisfy { $0 != 0x2D && $0 != 0x2E && !(0x30...0x39).contains($0) }
            return value.utf8.count >= 6 && !isWord && !value.hasPrefix("localhost")
        }
    }

    private static let commonFolders = Set(
        """
        actions admin app build builds circleci code data debian default dev ec2-user fedora git github guest home jenkins node opt \
        pi private project projects repo root runner source src srv test tests tmp ubuntu user users usr vagrant var vscode work \
        workdir workspace workspaces
        """.split { $0 == " " }.map(String.init)
    )

    /// The name by which surroundings know the value.
    fileprivate var surrounding: String {
        switch self {
        case .folder: Surroundings.folder
        case .home, .tmpdir: self.variable
        case .host: Surroundings.host
        }
    }

    /// The names of surroundings that may have the value.
    fileprivate var surroundings: Set<String> { [self.surrounding, self.variable] }
}

extension SecretDescription {
    /// The kind of value if it is one that tells which machine it is; `nil` for a secret.
    package var machine: MachineIdentity? { MachineIdentity(variable: self.environment) }
}

extension Surroundings {
    /// The values that a recording replaces: those that other machines do not have, too.
    package var telling: [(kind: MachineIdentity, value: String)] {
        let all = MachineIdentity.allCases.flatMap { kind in
            (self.values[kind.surrounding] ?? []).map { (kind: kind, value: $0) }
        }
        // The way into the working folder may have a link in it.
        let linked = (self.values["PWD"] ?? []).map { (kind: MachineIdentity.folder, value: $0) }
        return (all + linked).filter { $0.kind.isTelling($0.value) }
    }

    /// The values without those that cassettes replace: where the placeholder could not stand, such as within a longer word,
    /// they are not named either.
    package func without(_ kinds: some Sequence<MachineIdentity>) -> Surroundings {
        let names = kinds.reduce(into: Set<String>()) { $0.formUnion($1.surroundings) }
        return Surroundings(self.values.filter { !names.contains($0.key) })
    }

    /// The values by the variables that cassettes name for them.
    package var machineVariables: [String: String] {
        MachineIdentity.allCases.reduce(into: [:]) { variables, kind in
            if let value = self.values[kind.surrounding]?.first { variables[kind.variable] = value }
        }
    }
}
