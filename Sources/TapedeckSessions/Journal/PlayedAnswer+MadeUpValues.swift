import TapedeckCore
import TapedeckRedaction

extension PlayedAnswer.Names {
    /// The number of values that are named.
    private static let shown = 3

    /// The values in the answer that are made up in place of secrets, and their shapes, for people: a test that expects a real one
    /// fails. `nil` if there are none.
    package var madeUpValues: String? {
        guard !self.secrets.isEmpty, let names = self.take.placeholders else { return nil }
        let values = self.secrets.filter { secret in
            names.contains(secret.name) && !SecretValues.isOwn(secret.name)
                && secret.machine == nil
        }
        guard !values.isEmpty else { return nil }
        let shown = values.prefix(Self.shown).map { secret in
            let shape = secret.shape.map { TokenShape($0) == nil ? $0 : "jwt" } ?? SecretShape.token.text
            let condition = secret.environment.map { ", unless \($0) is set" } ?? ""
            return "\(secret.name) (\(shape)\(condition))"
        }
        let more = values.count > Self.shown ? " and \(values.count - Self.shown) more" : ""
        return "made up: \(shown.joined(separator: ", "))\(more); `secrets` of \(self.cassette) has the shapes"
    }
}
