extension TapeStack {
    /// True if a set may answer requests to a host and port, over either scheme. A set that names no single origin may
    /// answer for any. Looks at every set.
    package func mayAnswer(host: String, port: Int) -> Bool {
        let origins = [Origin(scheme: .http, host: host, port: port), Origin(scheme: .https, host: host, port: port)]
        return self.layers.contains { _, tape in
            tape.entries.indices.contains { tape.mayAnswer($0, for: origins) }
        }
    }
}

extension TapeStack {
    /// True if a response set names this origin alone. Looks at every set.
    func hasSets(of origin: Origin) -> Bool {
        self.layers.contains { _, tape in tape.entries.contains { $0.set.request.isOnly(for: origin) } }
    }
}

extension Tape {
    fileprivate func mayAnswer(_ number: Int, for origins: [Origin]) -> Bool {
        let entry = self.entries[number]
        guard self.cassettes[entry.cassette].matching.counts(.origin) else { return true }
        if case .names = entry.set.request.host { return origins.contains { entry.set.request.isOnly(for: $0) } }
        switch entry.set.request.url {
        case .exact(let url):
            return origins.contains(url.origin)
        case .template(let template):
            let start = template.source.prefix { $0 != "{" }
            // A placeholder inside the origin may match anything.
            guard start.count(where: { $0 == "/" }) > 2 else { return true }
            return AbsoluteURL(String(start)).map { origins.contains($0.origin) } ?? true
        case .pattern(let pattern):
            let start = pattern.literals.prefix
            return origins.contains { origin in zip(start, "\(origin)/".utf8).allSatisfy { $0 == $1 } }
        case .exactPath, .any:
            return true
        }
    }
}
