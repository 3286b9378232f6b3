extension ResponseSet {
    /// Method and URL, with the origin and without.
    private var requests: [String] {
        guard case .exact(let url) = self.request.url else { return [self.request.line] }
        return [self.request.line, self.request.line.replacing("\(url.origin)", with: "", maxReplacements: 1)]
    }

    /// The name, and that of a recorded set without the host, as tables have it.
    private var names: [String] {
        [self.name] + (SetLabels.shortName(self.name, request: self.request.line).map { [$0] } ?? [])
    }

    /// True if a text is a name of the set, or its URL, or method and URL, with or without the origin; without a query also where
    /// the URL has one.
    fileprivate func isNamed(_ text: String) -> Bool {
        guard !self.names.contains(text) else { return true }
        guard text.contains("/") else { return false }
        return self.requests.contains { line in
            [line[...], line.drop { $0 != " " }.dropFirst()].contains { spelling in
                spelling == text || !text.contains("?") && spelling.prefix { $0 != "?" } == text
            }
        }
    }

    fileprivate func contains(inOrder parts: [String]) -> Bool {
        (self.names + self.requests).contains { ASCII.lowercased($0).contains(inOrder: parts) }
    }
}

extension Sequence<ResponseSet> {
    /// The response sets that a text names: the one of that name; else those whose request is that URL, or that method and URL,
    /// with or without the origin; else those whose name or URL contains it, in any case of letters. `…` stands for any text.
    package func matching(_ text: String) -> [ResponseSet] {
        let byName = self.filter { $0.name == text }
        guard byName.isEmpty else { return byName }
        let byRequest = self.filter { $0.isNamed(text) }
        guard byRequest.isEmpty else { return byRequest }
        let parts = ASCII.lowercased(text).split(separator: "…").map(String.init)
        return self.filter { $0.contains(inOrder: parts) }
    }

    /// The response sets that a text may name for a change: that of the name; else those of the URL, or of a name with `…`.
    package func named(_ text: String) -> [ResponseSet] {
        let sets = self.matching(text)
        return text.contains("…") ? sets : sets.filter { $0.name == text || $0.isNamed(text) }
    }
}

extension String {
    /// True if it has these parts one after the other.
    fileprivate func contains(inOrder parts: [String]) -> Bool {
        var rest = self[...]
        for part in parts {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}

extension Cassette {
    /// The name of the only set that a text names; the text itself where no set or several are meant.
    package func setName(_ text: String) -> String {
        let sets = self.responseSets.named(text)
        return sets.count == 1 ? sets[0].name : text
    }
}
