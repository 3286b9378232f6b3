// Issues, attachments and test frameworks print these, so none of them contains a secret.

extension Tapedeck.Exchange: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let answer = self.status.map(String.init) ?? self.fault ?? "no answer"
        let source = self.played.map { " \"\($0.set)\", \($0.variant)" } ?? " \(self.outcome.rawValue)"
        let note = self.note.map { " (\($0))" } ?? ""
        return "\(self.method) \(self.request.shownURL) → \(answer)\(source)\(note)"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "number": self.number, "method": self.method, "url": self.request.shownURL, "request": self.request,
                "outcome": self.outcome, "played": self.played as Any, "response": self.response as Any,
                "status": self.status as Any, "fault": self.fault as Any, "duration": self.duration as Any,
                "note": self.note as Any, "mismatch": self.mismatch as Any,
            ],
            displayStyle: .struct
        )
    }
}

extension Tapedeck: CustomReflectable {
    /// Its name, mode and seed: the key of the session is for clients alone.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["name": self.name, "mode": self.mode, "seed": self.seed],
            displayStyle: .class
        )
    }
}
