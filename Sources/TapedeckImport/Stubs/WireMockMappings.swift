import TapedeckCore

/// Reads stub mappings of WireMock 2 and 3: a file with one, or with a list of them.
package struct WireMockMappings: ImportFormat {
    package let name = "wiremock"
    package let lists = [["mappings"]]

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document else { return false }
        if self.messageStubs(document) != nil { return true }
        let stub = document["mappings"]?.items.first ?? document
        if document["mappings"]?.isList == true, document["meta"] != nil || stub["request"] != nil { return true }
        guard let response = stub["response"], response.isMap, stub["request"]?.isMap != false else { return false }
        if response.pairs.isEmpty,
            stub["request"]?.pairs.contains(where: { $0.key.text?.hasPrefix("url") == true }) == true
        {
            return true
        }
        return stub["request"] != nil && Self.keys.contains { response[$0] != nil }
            && !["uri", "destination", "body", "matchers", "httpVersion"].contains { stub["request"]?[$0] != nil }
    }

    /// Stubs for messages of WebSockets: one, or a list of them; `nil` for a document without.
    private func messageStubs(_ document: ForeignNode) -> [ForeignNode]? {
        if let list = document["messageMappings"], list.isList { return list.items }
        return document["trigger"]?.isMap == true && document["actions"]?.isList == true ? [document] : nil
    }

    /// Keys of which WireMock's responses have one, and other formats with a `request` have none.
    private static let keys = [
        "status", "bodyFileName", "jsonBody", "base64Body", "proxyBaseUrl", "fault", "headers", "delayDistribution",
        "statusMessage", "fixedDelayMilliseconds", "body",
    ]

    /// All files of a folder `mappings` are stubs of one server.
    package func group(_ path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let index = parts.dropLast().lastIndex(of: "mappings") else { return nil }
        return index == 0 ? "mappings" : parts[..<index].joined(separator: "/")
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        if let messages = self.messageStubs(document) {
            return ImportedFile(
                stubs: messages.map { node in
                    let reason = "it is a stub for messages: cassettes hold no WebSocket messages"
                    return StubEntry(line: node.line, result: .failure(LeftOut(reason, line: node.line)))
                }
            )
        }
        let folder =
            file.path.ranges(of: "/mappings/").last.map { range in
                String(repeating: "../", count: file.path[range.upperBound...].count { $0 == "/" } + 1) + "__files"
            } ?? (file.path.hasPrefix("mappings/") ? "../__files" : "__files")
        return self.joined(
            (document["mappings"]?.items ?? [document]).map { node in
                let stub = StubEntry.reading(node) { (node) throws(LeftOut) in
                    try WireMockStub(node, files: folder, side: file.side).stub()
                }
                var part = ImportedFile(stubs: [stub])
                part.state = node["scenarioName"]?.text.map { [StateEntry(WireMockStub.stateKey($0), "Started")] } ?? []
                return part
            }
        )
    }

    /// Of equal stubs, the one that was added last answers.
    package func joined(_ parts: [ImportedFile]) -> ImportedFile {
        var result = ImportedFile(stubs: parts.reversed().flatMap(\.stubs))
        result.isOrdered = true
        var seen: Set<String> = []
        result.state = parts.reversed().flatMap(\.state).filter { seen.insert($0.key).inserted }
        return result
    }
}

/// One stub mapping.
struct WireMockStub {
    private let node: ForeignNode
    private let files: String
    private let side: ImportFile.Sides

    init(_ node: ForeignNode, files: String, side: @escaping ImportFile.Sides) {
        self.node = node
        self.files = files
        self.side = side
    }

    static func stateKey(_ scenario: String) -> String { scenario }

    func stub() throws(LeftOut) -> ImportedStub {
        // A missing part means any request, and an empty 200.
        let nothing = ForeignNode(.map([]), line: self.node.line)
        let request = self.node["request"] ?? nothing
        let response = self.node["response"] ?? nothing
        guard request.isMap, response.isMap else {
            throw LeftOut("its request or its response is no map", line: self.node.line)
        }
        for key in ["proxyBaseUrl", "fromConfiguredStub"] where response[key] != nil {
            throw LeftOut(
                "it forwards requests (`\(key)`): nothing to play",
                line: response[key]?.line ?? response.line
            )
        }
        var notes = WireMockRequest(request).notes
        let segments = WireMockRequest(request).segments
        var behaviour = try self.behaviour(response, segments, &notes)
        var matcher = try WireMockRequest(request, capturesSegments: behaviour.isTemplate).matcher(&notes)
        if let scheme = request["scheme"], let text = scheme.text {
            let note = try StubParts.require(scheme: text, in: &matcher, line: scheme.line)
            if let note { notes.append(note) }
        }
        if request["host"] == nil, let port = request["port"]?.text {
            notes.append("its condition on the port \(port) is left out: it answers on each")
        }
        behaviour.pacing = try self.pacing(response)
        let url = Self.urlKeys.compactMap { request[$0]?.text }.first ?? "any URL"
        let name = self.node["name"]?.text ?? "\(request["method"]?.text ?? "ANY") \(url)"
        var set = ResponseSet(name: name, request: matcher, variants: [Variant(name: "stub", behaviour: behaviour)])
        set.priority = 5 - (self.node["priority"]?.int ?? 5)
        if let scenario = self.node["scenarioName"]?.text {
            let key = Self.stateKey(scenario)
            if let state = self.node["requiredScenarioState"]?.text { set.requires = [StateEntry(key, state)] }
            if let state = self.node["newScenarioState"]?.text { set.sets = [StateEntry(key, state)] }
        }
        for key in ["serveEventListeners", "postServeActions"]
        where self.node[key].map({ !$0.items.isEmpty || $0.isMap }) ?? false {
            notes.append("`\(key)` is left out: Tapedeck sends no requests of its own")
        }
        return ImportedStub(set: set, notes: notes)
    }

    private static let urlKeys = ["url", "urlPath", "urlPattern", "urlPathPattern", "urlPathTemplate"]

    // MARK: Responses

    private func behaviour(
        _ response: ForeignNode,
        _ segments: PathSegments,
        _ notes: inout [String]
    ) throws(LeftOut) -> Behaviour {
        var take = Take(status: try StubParts.status(response["status"]))
        take.reason = StubParts.reason(response["statusMessage"]?.text, take.status)
        take.headers = StubParts.headers(ForeignHeaders.fields(of: response["headers"]))
        if let fault = response["fault"]?.text { return Behaviour(.takes([try self.take(fault, response, take)])) }
        let body = try self.body(response)
        take.body = StubParts.body(body)
        let text = String(validating: body, as: UTF8.self) ?? ""
        guard take.headers.contains(where: { $0.value.contains("{{") }) || text.contains("{{") else {
            return Behaviour(.takes([take]))
        }
        let asks = response["transformers"]?.items.contains { $0.text == "response-template" } == true
        var template = WireMockTemplate(segments, parameters: response["transformerParameters"])
        do throws(StubTemplate.UnknownTag) {
            var filled = take
            // The body may name what the fields use.
            let converted = try template.converted(text)
            for index in filled.headers.indices {
                filled.headers[index].value = try template.converted(filled.headers[index].value)
            }
            if text.contains("{{") { filled.body = StubParts.body(Array(converted.utf8)) }
            if template.insertsFromRequest { notes.append(StubTemplate.escapesNote) }
            if !asks { notes.append("it is taken for a template, as with WireMock's --global-response-templating") }
            return Behaviour(.takes([filled]), isTemplate: true)
        } catch {
            guard !asks else {
                throw LeftOut("its template has a helper without an equal: \(error.text)", line: response.line)
            }
            notes.append("\(error.text) is played unchanged: it has no equal, and no transformer requires it")
            return Behaviour(.takes([take]))
        }
    }

    private func take(_ fault: String, _ response: ForeignNode, _ take: Take) throws(LeftOut) -> Take {
        switch fault {
        case "CONNECTION_RESET_BY_PEER": return Take(fault: .connectionReset)
        case "EMPTY_RESPONSE": return Take(fault: .emptyResponse)
        case "RANDOM_DATA_THEN_CLOSE": return Take(fault: .garbage)
        case "MALFORMED_RESPONSE_CHUNK":
            var take = take
            take.body = StubParts.body(try self.body(response))
            take.fault = .malformedChunk
            return take
        default: throw LeftOut("it has an unknown fault, \(fault.prefix(80))", line: response.line)
        }
    }

    private func body(_ response: ForeignNode) throws(LeftOut) -> [UInt8] {
        if let file = response["bodyFileName"], let name = file.text {
            guard !name.contains("{{") else {
                throw LeftOut("the name of its body file is a template", line: file.line)
            }
            guard let bytes = self.side("\(self.files)/\(name)") else {
                throw LeftOut("its body file '\(name.prefix(200))' is not there", line: file.line)
            }
            return bytes
        }
        if let json = response["jsonBody"], !json.isNull { return ForeignJSON.text(json, .dotNet) }
        if let base64 = response["base64Body"] {
            guard let bytes = base64.text.flatMap(ForeignText.base64) else {
                throw LeftOut("its body is no base64", line: base64.line)
            }
            return bytes
        }
        return Array((response["body"]?.text ?? "").utf8)
    }

    // MARK: Times

    private func pacing(_ response: ForeignNode) throws(LeftOut) -> Pacing {
        var pacing = Pacing()
        if let delay = response["fixedDelayMilliseconds"]?.int, delay > 0 { pacing.delay = .fixed(delay) }
        if let distribution = response["delayDistribution"], distribution.isMap {
            switch distribution["type"]?.text {
            case "lognormal":
                pacing.delay = .logNormal(
                    median: distribution["median"]?.int ?? 0,
                    sigma: distribution["sigma"]?.text.flatMap(Double.init) ?? 0
                )
            case "uniform":
                pacing.delay = .uniform(from: distribution["lower"]?.int ?? 0, to: distribution["upper"]?.int ?? 0)
            case "fixed": pacing.delay = .fixed(distribution["milliseconds"]?.int ?? 0)
            default: throw LeftOut("its delay has an unknown distribution", line: distribution.line)
            }
        }
        if let dribble = response["chunkedDribbleDelay"], let pieces = dribble["numberOfChunks"]?.int, pieces > 0 {
            pacing.dribble = Pacing.Dribble(pieces: pieces, milliseconds: dribble["totalDuration"]?.int ?? 0)
        }
        return pacing
    }
}
