import TapedeckCore

extension ResponseTemplate {
    /// Those of `names` that can never have a value when a matcher captures `captures` (names, and numbers as text),
    /// each with the nearest name that can.
    package static func problems(in names: [String], captures: [String]) -> [UnknownTemplateName] {
        names.compactMap { name in
            let parts = name.split(separator: ".")
            guard let first = parts.first.map(String.init) else { return nil }
            guard let root = TemplateName(rawValue: first) else {
                let nearest = Spelling.nearest(to: first, among: TemplateName.allCases.map(\.rawValue))
                let suggestion = nearest.map { ([$0] + parts.dropFirst().map(String.init)).joined(separator: ".") }
                return UnknownTemplateName(name: name, suggestion: suggestion)
            }
            guard !self.isKnown(root, parts.dropFirst(), captures: captures) else { return nil }
            let rest = parts.dropFirst().joined(separator: ".")
            return UnknownTemplateName(name: name, suggestion: self.suggestion(root, rest, captures: captures))
        }
    }

    private static func isKnown(_ root: TemplateName, _ rest: ArraySlice<Substring>, captures: [String]) -> Bool {
        switch root {
        case .url: rest.isEmpty || rest.count == 1 && captures.contains(rest.joined())
        case .request: rest.count == 1 && TemplateName.RequestPart(rawValue: rest.joined()) != nil
        case .query, .header, .cookie, .form, .state: !rest.isEmpty
        case .json: true
        case .take: rest.isEmpty
        case .random: rest.count == 1 && RandomName(rest.joined()) != nil
        case .now: NowName(rest) != nil
        }
    }

    private static func suggestion(_ root: TemplateName, _ rest: String, captures: [String]) -> String? {
        let requestParts = TemplateName.RequestPart.allCases.map(\.rawValue)
        func nearest(_ words: [String], _ root: TemplateName) -> String? {
            Spelling.nearest(to: rest, among: words).map { "\(root.rawValue).\($0)" }
        }
        return switch root {
        case .url: nearest(captures, .url) ?? nearest(requestParts, .request)
        case .request: nearest(requestParts, .request)
        case .query, .header, .cookie, .form, .state: "\(root.rawValue).NAME"
        case .json: nil
        case .take: "take"
        case .random: nearest(RandomName.examples, .random)
        case .now: nearest(NowName.formats.keys.sorted() + ["plus-1d", "minus-1d"], .now)
        }
    }
}
