extension Behaviour {
    /// A short description of the variant's behaviour beyond playing takes in order; empty if there is nothing more.
    package var summary: String {
        var parts = [self.kind].compactMap { $0 }
        switch self.after {
        case .repeatLast: break
        case .cycle: parts.append("over and over")
        case .unmatched: parts.append("then unmatched")
        case .variant(let name): parts.append("then \"\(name)\"")
        }
        if let delay = self.pacing.delay { parts.append("delay \(delay.summary)") }
        if let bandwidth = self.pacing.bandwidth { parts.append("\(bandwidth) bytes/s") }
        if let dribble = self.pacing.dribble {
            parts.append("in \(dribble.pieces) pieces over \(TimeSpan(milliseconds: Int64(dribble.milliseconds)))")
        }
        if self.isTemplate { parts.append("template") }
        if !self.changes.isEmpty {
            parts.append(self.changes.count == 1 ? "1 change" : "\(self.changes.count) changes")
        }
        return parts.joined(separator: ", ")
    }

    private var kind: String? {
        switch self.answer {
        case .takes: nil
        case .sequence(let parts): "sequence of \(parts.count)"
        case .random(let parts): "random of \(parts.count)"
        case .conditional(let matcher, _, let otherwise):
            "when \(matcher.summary)" + (otherwise == nil ? ", else unmatched" : "")
        case .variant(let name): "as \"\(name)\""
        case .passthrough: "passthrough"
        case .hold: "hold"
        }
    }
}

extension Pacing.Delay {
    fileprivate var summary: String {
        switch self {
        case .fixed(let time): Self.text(time)
        case .uniform(let from, let to): "\(Self.text(from)) to \(Self.text(to))"
        case .normal(let mean, let deviation): "around \(Self.text(mean)), deviation \(Self.text(deviation))"
        case .logNormal(let median, let sigma): "around \(Self.text(median)), sigma \(sigma)"
        case .recorded(let factor): factor == 1 ? "as recorded" : "as recorded times \(factor)"
        }
    }

    private static func text(_ milliseconds: Int) -> String {
        TimeSpan(milliseconds: Int64(milliseconds)).description
    }
}

extension RequestMatcher {
    /// Methods and URL, or else the other conditions.
    package var summary: String {
        let methods = self.methods.joined(separator: ", ")
        let url = self.urlText
        let line = [methods, url].compactMap { $0.isEmpty ? nil : $0 }.joined(separator: " ")
        return line.isEmpty ? self.conditionNames.joined(separator: ", ") : line
    }

    /// Methods, or `any`, and the URL as the cassette has it.
    package var line: String {
        let methods = self.methods.isEmpty ? "any" : self.methods.joined(separator: ", ")
        return self.urlText.isEmpty ? "\(methods) any URL" : "\(methods) \(self.urlText)"
    }

    private var urlText: String {
        let url: String
        switch self.url {
        case .any: url = ""
        case .exact(let exact): url = exact.description
        case .exactPath(let path): url = path
        case .template(let template): url = template.source
        case .pattern(let pattern): url = "pattern \(pattern.source)"
        }
        let host: String
        switch self.host {
        case .none: host = ""
        case .names(let names): host = "host \(names.joined(separator: " or "))"
        case .pattern(let pattern): host = "host pattern \(pattern.source)"
        }
        return [url, host].filter { !$0.isEmpty }.joined(separator: " on ")
    }

    /// Its conditions in addition to methods and URL, shortened.
    package var conditionNames: [String] {
        var names = self.query.map { "query \($0.name)" } + self.headers.map { "header \($0.name)" }
        names += self.cookies.map { "cookie \($0.name)" } + self.state.map { "state \($0.key)" }
        let isEmpty = self.body.allSatisfy { matcher in
            if case .bytes(let body) = matcher { body.content.isEmpty } else { false }
        }
        if !self.body.isEmpty { names.append(isEmpty ? "no body" : "body") }
        if !self.all.isEmpty { names.append("all of \(self.all.count)") }
        if !self.any.isEmpty { names.append("any of \(self.any.count)") }
        if !self.not.isEmpty { names.append("not") }
        return names
    }
}
