// Issues, attachments and test frameworks print these: none of them prints a secret.

extension Exchange: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let answer = self.status.map(String.init) ?? self.fault ?? "no answer"
        let source = self.played.map { " \"\($0.set)\", \($0.variant)" } ?? " \(self.outcome.rawValue)"
        return "\(self.method) \(self.shownURL) → \(answer)\(source)"
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "number": self.number, "method": self.method, "url": self.shownURL, "request": self.request,
                "outcome": self.outcome, "played": self.played as Any, "response": self.response as Any,
                "status": self.status as Any, "fault": self.fault as Any, "duration": self.duration as Any,
                "mismatch": self.mismatch as Any,
            ],
            displayStyle: .struct
        )
    }
}

extension Exchange.Message: CustomStringConvertible, CustomReflectable {
    /// The headers and the beginning of the body, with placeholders in place of secrets.
    public var description: String {
        let headers = self.shownHeaders.map { "\($0.name): \($0.value)" }
        return (headers + [self.shownBody]).joined(separator: "; ")
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["headers": self.shownHeaders, "body": self.shownBody, "isCut": self.isCut],
            displayStyle: .struct
        )
    }

    private var shownBody: String {
        guard let text = self.shownText, !text.isEmpty else { return "\(self.body.count) bytes" }
        return "\(self.body.count) bytes: \(text)"
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
