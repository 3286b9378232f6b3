extension Cassette {
    /// The name of the only set that a URL names, or a name with `…` in it; the text itself where no set or several are meant.
    package func setName(_ text: String) -> String {
        guard text.contains("/") || text.contains("…") else { return text }
        let sets = self.sets(matching: text)
        guard sets.count == 1, text.contains("…") || sets[0].request.isNamed(text) else { return text }
        return sets[0].name
    }

    /// The response sets that a text names: the one of that name; else those whose request is that URL, or that method and URL,
    /// with or without the origin; else those whose name or URL contains it, in any case of letters. `…` stands for any text.
    package func sets(matching text: String) -> [ResponseSet] {
        let byName = self.responseSets.filter { $0.name == text }
        guard byName.isEmpty else { return byName }
        let byRequest = self.responseSets.filter { $0.request.isNamed(text) }
        guard byRequest.isEmpty else { return byRequest }
        let parts = ASCII.lowercased(text).split(separator: "…").map(String.init)
        return self.responseSets.filter { set in
            ([set.name] + set.request.spellings).contains { ASCII.lowercased($0).contains(inOrder: parts) }
        }
    }
}

extension RequestMatcher {
    /// Method and URL, with the origin and without.
    fileprivate var spellings: [String] {
        guard case .exact(let url) = self.url else { return [self.line] }
        return [self.line, self.line.replacing("\(url.origin)", with: "", maxReplacements: 1)]
    }

    /// True if a text is the URL, or method and URL, with or without the origin.
    fileprivate func isNamed(_ text: String) -> Bool {
        self.spellings.contains { $0 == text || $0.drop { $0 != " " }.dropFirst() == text }
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
