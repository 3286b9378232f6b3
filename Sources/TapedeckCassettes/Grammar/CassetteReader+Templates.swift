import TapedeckCore
import TapedeckRedaction
import TapedeckTemplates
import TapedeckYAML

/// Texts that are templates are tried out, so that a mistake shows before a request comes.
extension CassetteReader {
    /// Checks the takes of a variant that are templates.
    mutating func checkTemplates(_ variant: YAMLNode, of url: URLMatcher) {
        var captures = url.captureNames
        if case .pattern(let pattern) = url, pattern.captureCount > 0 {
            captures += (1...pattern.captureCount).map(String.init)
        } else if case .template = url {
            captures += url.captureNames.indices.map { String($0 + 1) }
        }
        self.checkTemplates(variant, isTemplate: false, captures, names: url.captureNames)
    }

    private mutating func checkTemplates(
        _ behaviour: YAMLNode,
        isTemplate: Bool,
        _ captures: [String],
        names: [String]
    ) {
        guard behaviour.kind == .mapping else { return }
        let isTemplate = isTemplate || behaviour["template"]?.bool == true
        let lists = ["sequence", "random"].compactMap { behaviour[$0] }
        let branches = ["then", "otherwise"].compactMap { behaviour[$0] }
        for part in lists.flatMap({ Array($0.items) }) + branches {
            self.checkTemplates(part, isTemplate: isTemplate, captures, names: names)
        }
        guard isTemplate, let takes = behaviour["takes"] else { return }
        for (node, escaping) in takes.items.flatMap(Self.templates) {
            self.checkTemplate(node, escaping, captures, names: names)
        }
    }

    /// Returns the parts of a take that are templates.
    private static func templates(of take: YAMLNode) -> [(YAMLNode, ResponseTemplate.Escaping)] {
        var found: [(YAMLNode, ResponseTemplate.Escaping)] = []
        for fields in [take["headers"], take["trailers"]].compactMap({ $0 }) {
            let mappings = fields.kind == .sequence ? Array(fields.items) : [fields]
            for (_, value) in mappings.flatMap({ Array($0.pairs) }) {
                found += (value.kind == .sequence ? Array(value.items) : [value]).map { ($0, .header) }
            }
        }
        if let json = take["body"]?["json"] { found.append((json, .json)) }
        if let text = take["body"]?["text"] { found.append((text, .none)) }
        return found
    }

    private mutating func checkTemplate(
        _ node: YAMLNode,
        _ escaping: ResponseTemplate.Escaping,
        _ captures: [String],
        names: [String]
    ) {
        // Secret placeholders are not names of a template: their values are filled in before it is read.
        let text = SecretPlaceholder.replacing(in: node.string) { String(repeating: "x", count: $0.text.utf8.count) }
        // Most headers are plain texts.
        guard text.contains("{{") else { return }
        let template: ResponseTemplate
        do throws(TemplateError) {
            template = try ResponseTemplate(text, escaping: escaping)
        } catch {
            self.error(node, atCharacter: error.offset + 1, "this is no template: \(error.message)")
            return
        }
        for problem in ResponseTemplate.problems(in: template.names, captures: captures) {
            let offset = text.utf8.firstOffset(ofTag: problem.name)
            guard problem.name.hasPrefix("url.") else {
                self.error(node, atTextByte: offset, "in this template \(problem)")
                continue
            }
            let name = problem.name.dropFirst("url.".count)
            let known = names.isEmpty ? "the URL of the set has none" : "the URL has: \(names.joined(separator: ", "))"
            let hint = problem.suggestion.map { "; did you mean `\($0)`?" } ?? ""
            self.error(node, atTextByte: offset, "`\(problem.name)` names no capture \(name); \(known)\(hint)")
        }
    }
}

extension String.UTF8View {
    /// Returns the offset of a name after the beginning of a tag, or 0.
    fileprivate func firstOffset(ofTag name: String) -> Int {
        let bytes = Array(self)
        let name = Array(name.utf8)
        let marks = Set("{ #^&/".utf8)
        var start = 0
        while let range = bytes[start...].firstRange(of: name) {
            if range.lowerBound > 0, marks.contains(bytes[range.lowerBound - 1]) { return range.lowerBound }
            start = range.upperBound
        }
        return 0
    }
}
