package import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import TapedeckRedaction

/// Variables of the environment with which a program runs that is not to have the secrets in them.
package enum MadeUpVariables {
    /// The environment of this process, in which variables that cassettes name for secrets have made-up values: many programs do
    /// not start without them.
    ///
    /// - Throws: ``DeckError`` if a cassette cannot be read.
    package static func environment(for cassettes: [CassetteLocation]) throws(DeckError) -> [String: String] {
        var environment = ProcessEnvironment.variables
        do {
            for location in cassettes {
                for secret in try CassetteStore.onDisk.load(location).secrets {
                    guard let variable = secret.environment, environment[variable] != nil else { continue }
                    let shape = secret.shape.flatMap { try? SecretShape($0) } ?? .token
                    environment[variable] = shape.value(for: secret.name)
                }
            }
        } catch {
            throw DeckError(error)
        }
        return environment
    }
}
