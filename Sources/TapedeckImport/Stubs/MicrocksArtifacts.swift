import TapedeckCore

/// Reads examples of Microcks (`kind: APIExamples`) and snapshots of its repository.
package struct MicrocksArtifacts: ImportFormat {
    package let name = "microcks"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        file.document.map { Self.isExamples($0) || Self.isSnapshot($0) } ?? false
    }

    private static func isExamples(_ document: ForeignNode) -> Bool {
        document["kind"]?.text == "APIExamples" && document["apiVersion"]?.text?.hasPrefix("mocks.microcks.io/") == true
    }

    private static func isSnapshot(_ document: ForeignNode) -> Bool {
        guard let services = document["services"], services.isList, document["responses"]?.isList == true,
            document["requests"]?.isList == true
        else { return false }
        return services.items.contains { $0["operations"]?.isList == true }
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        return ImportedFile(
            stubs: document["operations"]?.isMap == true ? Self.examples(document, file) : Self.snapshot(document)
        )
    }

    private static func leftOut(_ reason: String, _ node: ForeignNode) -> StubEntry {
        StubEntry(line: node.line, result: .failure(LeftOut(reason, line: node.line)))
    }

    // MARK: Examples

    private static func examples(_ document: ForeignNode, _ file: ImportFile) -> [StubEntry] {
        let metadata = self.metadata(of: document, file)
        var entries: [StubEntry] = []
        for pair in document["operations"]?.pairs ?? [] {
            let name = pair.key.text ?? ""
            let operation = MicrocksOperation(
                name: name,
                dispatch: metadata.map { MicrocksDispatch($0["operations"]?[name]) },
                metadata?["operations"]?[name]
            )
            var examples: [MicrocksExample] = []
            for example in pair.value.pairs {
                let (request, response) = (example.value["request"], example.value["response"])
                if example.value["eventMessage"] != nil {
                    entries.append(self.leftOut("it is an event message: cassettes hold HTTP", example.key))
                } else if let request, let response {
                    examples.append(
                        MicrocksExample(name: example.key.text ?? "", line: example.key.line, request, response)
                    )
                } else {
                    entries.append(self.leftOut("it has no request or no response", example.key))
                }
            }
            entries += operation.entries(examples)
        }
        return entries
    }

    /// The most files beside the examples that are searched for their metadata.
    private static let siblingLimit = 200

    /// The dispatchers of the operations, which another file of the folder may have; `nil` if none has.
    private static func metadata(of document: ForeignNode, _ file: ImportFile) -> ForeignNode? {
        let endings = [".yaml", ".yml", ".json"]
        let names = file.siblings().filter { name in endings.contains { name.hasSuffix($0) } }
        for name in names.prefix(self.siblingLimit) {
            guard let bytes = file.side(name), bytes.firstRange(of: Array("APIMetadata".utf8)) != nil,
                let other = ImportFile(path: name, bytes: bytes).document, other["kind"]?.text == "APIMetadata"
            else { continue }
            let isSame = ["name", "version"].allSatisfy {
                other["metadata"]?[$0]?.text == document["metadata"]?[$0]?.text
            }
            if isSame { return other }
        }
        return nil
    }

    // MARK: Snapshots

    private static func snapshot(_ document: ForeignNode) -> [StubEntry] {
        var requests: [String: ForeignNode] = [:]
        for request in document["requests"]?.items ?? [] {
            guard let id = request["responseId"]?.text, requests[id] == nil else { continue }
            requests[id] = request
        }
        var responses: [String: [ForeignNode]] = [:]
        for response in document["responses"]?.items ?? [] {
            responses[response["operationId"]?.text ?? "", default: []].append(response)
        }
        var entries: [StubEntry] = []
        for service in document["services"]?.items ?? [] {
            let type = service["type"]?.text ?? "REST"
            for node in service["operations"]?.items ?? [] {
                let name = node["name"]?.text ?? ""
                let own = responses.removeValue(forKey: "\(service["id"]?.text ?? "")-\(name)") ?? []
                guard type == "REST" || type == "GENERIC_REST" else {
                    entries += own.map {
                        self.leftOut("it is of a service of the type \(type): cassettes hold HTTP", $0)
                    }
                    continue
                }
                let operation = MicrocksOperation(
                    name: name,
                    dispatch: MicrocksDispatch(node),
                    node
                )
                entries += operation.entries(
                    own.map { response in
                        MicrocksExample(
                            name: response["name"]?.text ?? "",
                            line: response.line,
                            requests[response["id"]?.text ?? ""] ?? ForeignNode(.map([]), line: response.line),
                            response
                        )
                    }
                )
            }
        }
        for response in responses.values.joined().sorted(by: { $0.line < $1.line }) {
            entries.append(self.leftOut("no operation of the file has it", response))
        }
        return entries
    }
}
