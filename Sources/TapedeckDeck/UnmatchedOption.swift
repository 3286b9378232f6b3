package import TapedeckCassettes
import TapedeckCore

/// The action for unmatched requests on the command line: `fail`, `passthrough`, `record` or `respond=STATUS`.
package struct UnmatchedOption: Sendable, Equatable {
    /// The word for it.
    package let name: String
    /// For `respond`: the status of the answer.
    package let status: Int?

    /// - Throws: ``DeckError`` for any other text.
    package init(_ text: String) throws(DeckError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0], parts.count) {
        case ("fail", 1), ("passthrough", 1), ("record", 1):
            (self.name, self.status) = (text, nil)
        case ("respond", 2):
            guard parts[1].utf8.count == 3, let status = Int(parts[1]), (200...599).contains(status) else {
                throw DeckError("\"\(parts[1])\" is no status to respond with; write 200 to 599", kind: .badOption)
            }
            (self.name, self.status) = ("respond", status)
        default:
            throw DeckError(
                "\"\(text)\" is nothing to do with unmatched requests; write fail, passthrough, record or "
                    + "respond=STATUS",
                kind: .badOption
            )
        }
    }

    /// - Throws: ``DeckError`` where sessions of the mode do no such thing.
    func policy(in mode: Mode) throws(DeckError) -> UnmatchedPolicy {
        let policy: UnmatchedPolicy =
            switch self.name {
            case "passthrough": .passthrough
            case "record": .record
            case "respond": .respond(Take(status: self.status ?? 404))
            default: .fail
            }
        guard policy.suits(mode) else {
            let reason =
                mode == .replay
                ? "replay asks nothing of the network; use append, or --unmatched fail or respond=STATUS"
                : "in the mode \(mode.rawValue) no request is unmatched"
            throw DeckError("--unmatched \(self.name) cannot be: \(reason)", kind: .badOption)
        }
        return policy
    }
}
