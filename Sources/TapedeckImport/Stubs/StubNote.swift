/// Notes of a stub, each once.
enum StubNote {
    static func add(_ note: String, to notes: inout [String]) {
        if !notes.contains(note) { notes.append(note) }
    }

    /// The note of an answer to requests that another one, which is left out, would have had.
    static func answersInstead(of kind: String, line: Int) -> String {
        "it may answer requests of the \(kind) on line \(line), which is left out"
    }
}

extension StubEntry {
    /// The entry with one more note, if it is a stub.
    func noting(_ note: String) -> StubEntry {
        guard case .success(var stub) = self.result else { return self }
        StubNote.add(note, to: &stub.notes)
        return StubEntry(line: self.line, result: .success(stub))
    }
}
