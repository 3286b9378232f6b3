import TapedeckCore
import TapedeckYAML

extension CassetteReader {
    /// Reads the maximum age of takes: `30d`, or `{ after: 30d, then: fail }`.
    mutating func readMaxAge(_ node: YAMLNode) -> MaxAge? {
        guard node.kind == .mapping else { return self.span(node, "maxAge").map { MaxAge($0) } }
        self.checkKeys(node, CassetteKeys.maxAge, of: "`maxAge`")
        guard let after = node["after"] else {
            self.error(
                node,
                "`maxAge` says after how long: write `maxAge: 30d`, or `maxAge: { after: 30d, then: fail }`"
            )
            return nil
        }
        let consequence = node["then"].map { self.choice($0, "then", MaxAge.Consequence.allCases) } ?? .warn
        guard let span = self.span(after, "after"), let consequence else { return nil }
        return MaxAge(span, then: consequence)
    }

    private mutating func span(_ node: YAMLNode, _ what: String) -> TimeSpan? {
        guard let text = self.text(node, what) else { return nil }
        do throws(TimeSpan.Problem) {
            let span = try TimeSpan(text)
            guard span.milliseconds > 0 else {
                self.error(node, "`\(what)` is 0, and every take is older than that; leave `maxAge` out, or write 30d")
                return nil
            }
            return span
        } catch {
            self.error(node, "`\(what)`: \(error.description)")
            return nil
        }
    }
}
