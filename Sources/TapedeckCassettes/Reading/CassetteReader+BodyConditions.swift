import TapedeckCore
import TapedeckYAML

/// Conditions on the body of a request.
extension CassetteReader {
    mutating func readBodyConditions(_ node: YAMLNode) -> [BodyMatcher] {
        guard self.expectMapping(node, "body") else { return [] }
        var conditions: [BodyMatcher] = []
        var hasCondition = false
        let problems = self.diagnostics.count
        for (key, value) in node.pairs {
            let name = key.string
            if CassetteKeys.requestBody.contains(name) {
                hasCondition = true
                conditions += self.readCondition(name, value, of: node)
            } else if !self.isBeside(key, name, node) {
                self.unknown(
                    key,
                    CassetteKeys.requestBody + CassetteKeys.requestJSON + ["otherFields"],
                    of: "the body of a request"
                )
            }
        }
        // An error about the existing keys is enough.
        if !hasCondition, self.diagnostics.count == problems {
            self.error(node, "`body` needs one of \(CassetteKeys.requestBody.joined(separator: ", "))")
        }
        if let digest = node["sha256"], node.count > 1 {
            self.error(digest, "a condition on a body's digest cannot be combined with others")
        }
        return conditions
    }

    /// Returns true if the key refines another one, which it then requires.
    private mutating func isBeside(_ key: YAMLNode, _ name: String, _ node: YAMLNode) -> Bool {
        let other: String
        if CassetteKeys.requestJSON.contains(name) {
            other = "json"
        } else if name == "otherFields" {
            other = "form"
        } else {
            return false
        }
        if name == "ignore", node["xml"] != nil { return true }
        if node[other] == nil { self.error(key, "`\(name)` goes with `\(other)` only") }
        return true
    }

    private mutating func readCondition(_ name: String, _ value: YAMLNode, of node: YAMLNode) -> [BodyMatcher] {
        switch name {
        case "text": return self.readText(value).map { [$0] } ?? []
        case "pattern":
            return self.readPattern(value, "pattern", scope: .anywhere).map { [.text(.pattern($0))] } ?? []
        case "json": return self.readJSONCondition(value, of: node).map { [$0] } ?? []
        case "jsonSubset":
            let text = self.readExpectedJSON(value, "jsonSubset")
            return text.map { [.jsonSubset(InlineBody(form: .json, content: $0))] } ?? []
        case "jsonPath": return self.readTests(value)
        case "xml": return self.readXML(value, of: node).map { [$0] } ?? []
        case "form":
            let refuses = node["otherFields"].flatMap { self.refuses($0, "otherFields") } ?? false
            return [.form(self.readValues(value, "form"), refusesOthers: refuses)]
        case "multipart": return self.readParts(value)
        case "graphql": return self.readGraphQL(value).map { [$0] } ?? []
        case "base64":
            return self.readBase64(value).map { [.bytes(InlineBody(form: .base64, content: $0))] } ?? []
        default: return self.readDigest(value).map { [.sha256($0)] } ?? []
        }
    }

    private mutating func readText(_ node: YAMLNode) -> BodyMatcher? {
        switch node.kind {
        case .scalar:
            return .bytes(InlineBody(form: .text, content: node.bytes))
        case .sequence:
            self.refuseCollection(node, "text")
            return nil
        case .mapping:
            guard let matcher = self.readValue(node, "text") else { return nil }
            // Being equal has one spelling, and the one that is looked up at once.
            if case .equals(let text) = matcher { return .bytes(InlineBody(form: .text, content: Array(text.utf8))) }
            return .text(matcher)
        }
    }

    mutating func readJSONCondition(_ value: YAMLNode, of node: YAMLNode) -> BodyMatcher? {
        var comparison = JSONComparison()
        if let ignored = node["ignore"] { comparison.ignoredPaths = self.paths(ignored, "ignore") }
        if let order = node["ignoreArrayOrder"] {
            comparison.ignoresArrayOrder = self.bool(order, "ignoreArrayOrder")
        }
        let layout = node["layout"].flatMap { self.choice($0, "layout", JSONLayout.allCases) }
        guard let text = self.readExpectedJSON(value, "json") else { return nil }
        return .json(InlineBody(form: .json, content: text, layout: layout), comparison)
    }

    private mutating func readXML(_ value: YAMLNode, of node: YAMLNode) -> BodyMatcher? {
        let ignored = node["json"] == nil ? node["ignore"].map { self.xmlPaths($0, "ignore") } ?? [] : []
        guard value.kind == .scalar else {
            self.refuseCollection(value, "xml")
            return nil
        }
        guard XMLExpectation(value.bytes, ignoring: ignored) != nil else {
            self.error(value, "this is no well-formed XML, or has a document type")
            return nil
        }
        return .xml(InlineBody(form: .text, content: value.bytes), ignoring: ignored)
    }

    mutating func readTests(_ node: YAMLNode) -> [BodyMatcher] {
        guard self.expectMapping(node, "jsonPath") else { return [] }
        if node.count == 0 { self.error(node, "`jsonPath` needs a path, such as `$.user.id: 7`") }
        return node.pairs.compactMap { key, value in
            let path = self.path(key, "jsonPath")
            guard let test = self.readTest(value, "jsonPath \(key.string)"), let path else { return nil }
            return .jsonPath(path, test)
        }
    }

    private mutating func readDigest(_ node: YAMLNode) -> String? {
        let text = node.string
        guard text.utf8.count == 64, text.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) else {
            self.error(node, "`sha256` is 64 hexadecimal digits")
            return nil
        }
        return ASCII.lowercased(text)
    }

    // MARK: Multipart

    private mutating func readParts(_ node: YAMLNode) -> [BodyMatcher] {
        guard self.expectMapping(node, "multipart") else { return [] }
        let parts = node.pairs.compactMap { key, value in self.readPart(key.string, value) }
        return [.multipart(parts)]
    }

    private mutating func readPart(_ name: String, _ node: YAMLNode) -> BodyMatcher.Part? {
        let what = "multipart \(name)"
        let isWhole = node.pairs.contains { CassetteKeys.part.contains($0.key.string) }
        guard isWhole else { return self.readValue(node, what).map { BodyMatcher.Part(name: name, content: $0) } }
        var part = BodyMatcher.Part(name: name, content: .present)
        for (key, value) in node.pairs {
            switch key.string {
            case "content": part.content = self.readValue(value, "content") ?? .present
            case "filename": part.filename = self.readValue(value, "filename")
            case "contentType": part.contentType = self.readValue(value, "contentType")
            default: self.unknown(key, CassetteKeys.part, of: "`\(what)`")
            }
        }
        return part
    }

    // MARK: GraphQL

    private mutating func readGraphQL(_ node: YAMLNode) -> BodyMatcher? {
        guard node.kind == .mapping else {
            return self.text(node, "graphql", allowsEmpty: true).map {
                .graphQL(operation: .equals($0), variables: nil)
            }
        }
        var operation: ValueMatcher?
        var variables: InlineBody?
        for (key, value) in node.pairs {
            switch key.string {
            case "operation": operation = self.readValue(value, "operation")
            case "variables":
                let text = self.readExpectedJSON(value, "variables")
                variables = text.map { InlineBody(form: .json, content: $0) }
            default: self.unknown(key, CassetteKeys.graphQL, of: "`graphql`")
            }
        }
        if node.count == 0 { self.error(node, "`graphql` is the name of an operation, or has operation or variables") }
        return .graphQL(operation: operation, variables: variables)
    }
}
