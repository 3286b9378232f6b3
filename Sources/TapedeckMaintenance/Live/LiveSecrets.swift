import TapedeckCore
import TapedeckRedaction

/// The real values of the secrets of a cassette, from the environment: those that its `secrets:` name a variable for, and
/// `TAPEDECK_SECRET_NAME` for all others.
package struct LiveSecrets: Sendable {
    /// The beginning of the names of variables with the real values of secrets.
    package static let variablePrefix = "TAPEDECK_SECRET_"

    private let variables: [String: String]
    private let environment: [String: String]

    init(_ cassette: Cassette, environment: [String: String]) {
        self.variables = cassette.secrets.reduce(into: [:]) { $0[$1.name] = $1.environment }
        self.environment = environment
    }

    /// Returns the variable with a secret's value: for `access_token-2` it is `TAPEDECK_SECRET_ACCESS_TOKEN_2`, unless
    /// the cassette names another.
    func variable(_ name: String) -> String {
        self.variables[name]
            ?? Self.variablePrefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    func value(_ name: String) -> String? {
        self.environment[self.variable(name)].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The secrets of a cassette for the requesting deck: known ones keep their names.
    func descriptions(_ secrets: [SecretDescription], used names: Set<String>) -> [SecretDescription] {
        var all = secrets
        for name in names.sorted() where !all.contains(where: { $0.name == name }) {
            all.append(SecretDescription(name: name))
        }
        return all.map { secret in
            var secret = secret
            if self.value(secret.name) != nil { secret.environment = self.variable(secret.name) }
            return secret
        }
    }

    /// The request with secrets in the place of its placeholders.
    ///
    /// - Throws: the names of those that are not known.
    func fill(_ request: TapedRequest) throws(Missing) -> TapedRequest {
        let names = request.secrets
        let missing = names.filter { self.value($0) == nil }.sorted()
        guard missing.isEmpty else { throw Missing(names: missing) }
        let values = SecretValues(
            names.map { SecretDescription(name: $0, environment: self.variable($0)) },
            environment: self.environment
        )
        var request = request
        request.url = values.restored(request.url)
        request.headers = request.headers.map { HeaderField($0.name, values.restored($0.value)) }
        request.body = values.restored(request.body)
        return request
    }

    struct Missing: Error {
        var names: [String]
    }
}

extension TapedRequest {
    /// The names of the secrets that occur in it as placeholders.
    var secrets: Set<String> {
        let texts = [self.url] + self.headers.map(\.value)
        let found = texts.flatMap { SecretPlaceholder.all(in: $0) }
        let inBody = self.body.withUnsafeBytes { SecretPlaceholder.all(in: $0) }
        return Set((found + inBody).map(\.placeholder.name))
    }
}
