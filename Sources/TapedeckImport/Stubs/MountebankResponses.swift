import TapedeckCore

/// The responses of a mountebank stub, which it gives one after the other, and then from the first on again.
struct MountebankResponses {
    /// The response whose parts complete others; `nil` without one.
    let defaults: ForeignNode?
    let side: ImportFile.Sides

    func behaviour(_ nodes: [ForeignNode], _ notes: inout [String], line: Int) throws(LeftOut) -> Behaviour {
        guard !nodes.isEmpty else { throw LeftOut("it has no responses", line: line) }
        var takes: [(take: Take, delay: Int)] = []
        for node in nodes {
            var take = try self.take(node)
            take.times = try Self.times(node)
            takes.append((take, try Self.delay(node, &notes)))
        }
        let after: Behaviour.AfterLast = takes.count > 1 ? .cycle : .repeatLast
        // One response alone is repeated anyway.
        if takes.count == 1 { takes[0].take.times = 1 }
        let pacing = { (delay: Int) in Pacing(delay: delay > 0 ? .fixed(delay) : nil) }
        guard takes.contains(where: { $0.delay != takes[0].delay }) else {
            return Behaviour(.takes(takes.map(\.take)), after: after, pacing: pacing(takes[0].delay))
        }
        return Behaviour(
            .sequence(takes.map { Behaviour(.takes([$0.take]), pacing: pacing($0.delay)) }),
            after: after
        )
    }

    /// The answer to requests that no stub matches.
    func answer(to node: ForeignNode) throws(LeftOut) -> Take {
        try self.response(ForeignNode(.map([]), line: node.line))
    }

    private func take(_ node: ForeignNode) throws(LeftOut) -> Take {
        let kinds = ["is", "proxy", "inject", "fault"].filter { MountebankText.isTrue(node[$0]) }
        guard let kind = kinds.first, kinds.count == 1, let value = node[kind] else {
            let problem = kinds.isEmpty ? "of no known kind" : "of several kinds"
            throw LeftOut("it has a response \(problem)", line: node.line)
        }
        switch kind {
        case "proxy": throw LeftOut("it forwards requests (`proxy`): nothing to play", line: value.line)
        case "inject": throw LeftOut("its response runs JavaScript (`inject`): nothing to play", line: value.line)
        case "fault":
            switch value.text {
            // mountebank closes the connection, in spite of the name.
            case "CONNECTION_RESET_BY_PEER": return Take(fault: .emptyResponse)
            case "RANDOM_DATA_THEN_CLOSE": return Take(fault: .garbage)
            default: throw LeftOut("it has an unknown fault, \((value.text ?? "").prefix(80))", line: value.line)
            }
        default:
            guard value.isMap else { throw LeftOut("its response `is` is no map", line: value.line) }
            return try self.response(value)
        }
    }

    private func response(_ node: ForeignNode) throws(LeftOut) -> Take {
        /// The own part of the response, or that of the default response.
        func part(_ name: String) -> ForeignNode? {
            [node[name], self.defaults?[name]].compactMap { $0 }.first { MountebankText.isTrue($0) }
        }
        var take = Take(status: try StubParts.status(part("statusCode")))
        for pair in part("headers")?.pairs ?? [] {
            guard let name = pair.key.text, !name.isEmpty, name.utf8.allSatisfy(ASCII.isToken) else {
                throw LeftOut("its response has a field with a name that no field can have", line: pair.key.line)
            }
            let values = pair.value.isList ? pair.value.items : [pair.value]
            take.headers += values.compactMap { value in
                MountebankText.text(value).map { HeaderField(name, $0) }
            }
        }
        take.headers = StubParts.headers(take.headers)
        guard let body = part("body") else { return take }
        let isBinary = part("_mode")?.text == "binary"
        guard body.isMap || body.isList else {
            let text = try self.included(MountebankText.text(body) ?? "", line: body.line)
            guard isBinary else {
                take.body = StubParts.body(Array(text.utf8))
                return take
            }
            guard let bytes = ForeignText.base64(text.filter { $0 != "-" && $0 != "_" }) else {
                throw LeftOut("its binary body is no base64", line: body.line)
            }
            take.body = StubParts.body(bytes)
            return take
        }
        guard !isBinary else { throw LeftOut("its binary body is no text", line: body.line) }
        try Self.refuseTemplates(in: body)
        take.body = StubParts.body(IndentedJSON.text(ForeignJSON.text(body, .javaScript), spaces: 4))
        return take
    }

    /// Returns the text, or that of the file that it includes: `<%- stringify('body.json') %>`.
    private func included(_ text: String, line: Int) throws(LeftOut) -> String {
        guard text.contains("<%") else { return text }
        let tag = RequestText.trimmed(text)[...]
        guard let name = Self.includedFile(tag) else {
            throw LeftOut(MountebankIncludes.reason(text), line: line)
        }
        guard let bytes = self.side(name) else {
            throw LeftOut("its file '\(name.prefix(200))' is not there", line: line)
        }
        let content = String(decoding: bytes, as: UTF8.self)
        guard !content.contains("<%") else {
            throw LeftOut(
                "its file '\(name.prefix(200))' has EJS tags: save the imposters with `mb save` first",
                line: line
            )
        }
        return RequestText.trimmed(content)
    }

    /// The file that `stringify` or its older name `inject` includes; `nil` for any other tag.
    private static func includedFile(_ text: Substring) -> String? {
        guard text.hasPrefix("<%-"), text.hasSuffix("%>") else { return nil }
        var inner = text.dropFirst(3).dropLast(2).filter { $0 != " " }[...]
        guard let name = ["stringify(", "inject("].first(where: { inner.hasPrefix($0) }), inner.hasSuffix(")") else {
            return nil
        }
        inner = inner.dropFirst(name.count).dropLast()
        if inner.hasPrefix("filename,") { inner = inner.dropFirst(9) }
        guard inner.count > 2, let quote = inner.first, quote == "'" || quote == "\"", inner.last == quote else {
            return nil
        }
        let file = inner.dropFirst().dropLast()
        return file.contains { "'\"\\,+".contains($0) } ? nil : String(file)
    }

    private static func refuseTemplates(in node: ForeignNode) throws(LeftOut) {
        let text = String(decoding: ForeignJSON.text(node, .javaScript), as: UTF8.self)
        guard !text.contains("<%") else {
            throw LeftOut("it has EJS tags: save the imposters with `mb save` first", line: node.line)
        }
    }

    // MARK: Behaviours

    private static func times(_ node: ForeignNode) throws(LeftOut) -> Int {
        let isOld = node["behaviors"] == nil && node["repeat"] == nil
        guard let times = node["repeat"] ?? (isOld ? node["_behaviors"]?["repeat"] : nil), MountebankText.isTrue(times)
        else { return 1 }
        guard let count = times.int, (1...1_000_000).contains(count) else {
            throw LeftOut("its `repeat` is no number of requests", line: times.line)
        }
        return count
    }

    /// The sum of its delays in milliseconds.
    ///
    /// - Throws: for a behaviour that changes the response.
    private static func delay(_ node: ForeignNode, _ notes: inout [String]) throws(LeftOut) -> Int {
        // A fault comes at once.
        if node["fault"] != nil { return 0 }
        var pairs = (node["behaviors"]?.items ?? []).flatMap(\.pairs) + (node["behaviors"]?.pairs ?? [])
        if node["behaviors"] == nil, node["repeat"] == nil { pairs += node["_behaviors"]?.pairs ?? [] }
        var delay = 0
        for pair in pairs {
            switch pair.key.text ?? "" {
            case "wait":
                for wait in pair.value.isList ? pair.value.items : [pair.value] {
                    let digits = (MountebankText.text(wait) ?? "").prefix { ("0"..."9").contains($0) }
                    guard let milliseconds = Int(digits), milliseconds <= 86_400_000 else {
                        StubNote.add("its delay is a function of JavaScript, which is left out", to: &notes)
                        continue
                    }
                    delay += milliseconds
                }
            case let name where ["decorate", "shellTransform", "copy", "lookup"].contains(name):
                let why = name == "copy" || name == "lookup" ? "cannot be stated" : "runs a program"
                throw LeftOut("its behavior `\(name)` \(why): nothing to play", line: pair.key.line)
            default: continue
            }
        }
        return min(delay, 86_400_000)
    }
}
