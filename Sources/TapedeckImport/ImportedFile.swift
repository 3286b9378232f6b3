package import TapedeckCore

/// The entries of a file of another tool.
package struct ImportedFile: Sendable {
    /// The unit in which the entries of a file are counted.
    package enum Position: String, Sendable {
        case line
        case entry
    }

    /// Recorded exchanges, in the order in which they are played.
    package var exchanges: [ForeignEntry] = []
    /// Answers written by hand: response sets, in their order of precedence.
    package var stubs: [StubEntry] = []
    /// Requests without an answer, in the order of the file: `import --ask` sends them and records the answers.
    package var requests: [RequestEntry] = []
    /// The unit that the `line` of the entries counts.
    package var position = Position.line
    /// True if the first stub that matches answers, whatever the others ask for. Otherwise the more particular one does.
    package var isOrdered = false
    /// The initial state of a session.
    package var state: [StateEntry] = []

    package init(exchanges: [ForeignEntry] = [], stubs: [StubEntry] = []) {
        self.exchanges = exchanges
        self.stubs = stubs
    }
}

/// One entry of a file of stubs: a response set, or the reason why it gives none.
package struct StubEntry: Sendable {
    /// The line that it begins on, counted from 1.
    package let line: Int
    package let result: Result<ImportedStub, LeftOut>
    /// The name by which a later stub replaces it; `nil` in formats where none does.
    var id: String?

    package init(line: Int, result: Result<ImportedStub, LeftOut>, id: String? = nil) {
        self.line = line
        self.result = result
        self.id = id
    }

    /// Reads one stub: what `read` throws is the reason for which it gives nothing.
    static func reading(
        _ node: ForeignNode,
        _ read: (ForeignNode) throws(LeftOut) -> ImportedStub
    ) -> StubEntry {
        do throws(LeftOut) {
            return StubEntry(line: node.line, result: .success(try read(node)))
        } catch {
            return StubEntry(line: node.line, result: .failure(error))
        }
    }
}

/// A stub of another tool as a response set.
package struct ImportedStub: Sendable {
    /// Bodies of its takes are in memory, as base64: they are put where a recording puts them when they are saved.
    package var set: ResponseSet
    /// The parts of the stub that are played differently, in half a sentence each.
    package var notes: [String]

    package init(set: ResponseSet, notes: [String] = []) {
        self.set = set
        self.notes = notes
    }
}
