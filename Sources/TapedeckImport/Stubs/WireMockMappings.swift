import TapedeckCore

/// Reads stub mappings of WireMock 2 and 3: a file with one, or with a list of them.
package struct WireMockMappings: ImportFormat {
    package let name = "wiremock"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document else { return false }
        let stub = document["mappings"]?.items.first ?? document
        if document["mappings"]?.isList == true, document["meta"] != nil || stub["request"] != nil { return true }
        guard let response = stub["response"], response.isMap, stub["request"]?.isMap != false else { return false }
        return stub["request"] != nil && Self.keys.contains { response[$0] != nil }
            && stub["request"]?["uri"] == nil && stub["request"]?["destination"] == nil
    }

    /// Keys that a response of WireMock has one of, and no other format's beside a `request`.
    private static let keys = [
        "status", "bodyFileName", "jsonBody", "base64Body", "proxyBaseUrl", "fault", "headers", "delayDistribution",
        "statusMessage", "fixedDelayMilliseconds", "body",
    ]

    /// All files of a folder `mappings` are stubs of one server.
    package func group(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard let index = parts.lastIndex(of: "mappings"), index > 0 else { return nil }
        return String(parts[index - 1])
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        // Of stubs that are alike the one that was added last answers.
        let stubs = document["mappings"]?.items.reversed() ?? [document]
        let folder =
            file.path.ranges(of: "/mappings/").last.map { range in
                String(repeating: "../", count: file.path[range.upperBound...].count { $0 == "/" } + 1) + "__files"
            } ?? (file.path.hasPrefix("mappings/") ? "../__files" : "__files")
        var result = ImportedFile(
            stubs: stubs.map { node in
                StubEntry.reading(node) { (node) throws(LeftOut) in
                    try WireMockStub(node, files: folder, side: file.side).stub()
                }
            }
        )
        var seen: Set<String> = []
        result.state = stubs.compactMap { node in
            guard let name = node["scenarioName"]?.text, seen.insert(name).inserted else { return nil }
            return StateEntry(WireMockStub.stateKey(name), "Started")
        }
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
        guard let request = self.node["request"], request.isMap else {
            throw LeftOut("it has no request", line: self.node.line)
        }
        guard let response = self.node["response"], response.isMap else {
            throw LeftOut("it has no response", line: self.node.line)
        }
        for key in ["proxyBaseUrl", "fromConfiguredStub"] where response[key] != nil {
            throw LeftOut(
                "it forwards requests (`\(key)`): nothing to play",
                line: response[key]?.line ?? response.line
            )
        }
        let matcher = try WireMockRequest(request).matcher()
        var behaviour = try self.behaviour(response)
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
        var notes: [String] = []
        for key in ["serveEventListeners", "postServeActions"]
        where self.node[key].map({ !$0.items.isEmpty || $0.isMap }) ?? false {
            notes.append("`\(key)` is left out: Tapedeck sends no requests of its own")
        }
        return ImportedStub(set: set, notes: notes)
    }

    private static let urlKeys = ["url", "urlPath", "urlPattern", "urlPathPattern", "urlPathTemplate"]

    // MARK: Responses

    private func behaviour(_ response: ForeignNode) throws(LeftOut) -> Behaviour {
        var take = Take(status: try StubParts.status(response["status"]))
        take.reason = StubParts.reason(response["statusMessage"]?.text, take.status)
        take.headers = StubParts.headers(ForeignHeaders.fields(of: response["headers"]))
        if let fault = response["fault"]?.text { return Behaviour(.takes([try self.take(fault, response, take)])) }
        let body = try self.body(response)
        let asksForTemplate =
            response["transformers"]?.items.contains { $0.text == "response-template" } == true
        let headersHold = take.headers.contains { $0.value.contains("{{") }
        let text = String(validating: body, as: UTF8.self)
        let bodyHolds = text?.contains("{{") == true
        guard headersHold || bodyHolds, asksForTemplate || headersHold && !bodyHolds else {
            take.body = StubParts.body(body)
            return Behaviour(.takes([take]))
        }
        for index in take.headers.indices {
            guard let value = WireMockTemplate.converted(take.headers[index].value) else {
                throw LeftOut(
                    "its template has a helper without an equal: \(take.headers[index].value.prefix(120))",
                    line: response.line
                )
            }
            take.headers[index].value = value
        }
        if let text, bodyHolds {
            guard let converted = WireMockTemplate.converted(text) else {
                throw LeftOut("the template of its body has a helper without an equal", line: response.line)
            }
            take.body = StubParts.body(Array(converted.utf8))
        } else {
            take.body = StubParts.body(body)
        }
        return Behaviour(.takes([take]), isTemplate: true)
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
        if let json = response["jsonBody"] { return ForeignJSON.text(json, .dotNet) }
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
