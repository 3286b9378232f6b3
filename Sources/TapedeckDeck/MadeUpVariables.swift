package import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance
import TapedeckRedaction

/// Variables of the environment with which a program runs that is not to have the secrets in them.
package enum MadeUpVariables {
    /// The environment of this process, in which variables that cassettes name for secrets, and those whose name is that of a
    /// secret, have made-up values: many programs do not start without them.
    ///
    /// - Throws: ``DeckError`` if a cassette cannot be read.
    package static func environment(for cassettes: [CassetteLocation]) throws(DeckError) -> [String: String] {
        var environment = ProcessEnvironment.variables
        let real = environment
        for (name, value) in real where SecretMasking.hides(name) && !name.hasPrefix("TAPEDECK") && !value.isEmpty {
            environment[name] = SecretShape(of: ByteText.bytes(of: value), named: name).value(for: name)
        }
        do {
            for location in cassettes {
                for secret in try CassetteStore.onDisk.load(location).secrets {
                    guard let variable = secret.environment, environment[variable] != nil,
                        secret.machine == nil
                    else { continue }
                    let shape = secret.shape.flatMap { try? SecretShape($0) } ?? .token
                    environment[variable] = shape.value(for: secret.name)
                }
            }
            // One secret may be in several variables.
            let hidden = real.filter { environment[$0.key] != $0.value }
            for (name, value) in real where environment[name] == value {
                if let other = hidden.first(where: { $0.value == value }) { environment[name] = environment[other.key] }
            }
        } catch {
            throw DeckError(error)
        }
        return environment
    }
}
