import TapedeckCore

/// Reads the saved responses of Postman collections, versions 2.0 and 2.1.
package struct PostmanCollection: ImportFormat {
    package let name = "postman"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document.map({ $0["collection"] ?? $0 }) else { return false }
        return document["item"]?.isList == true
            && (document["info"] != nil || document["variables"] != nil
                || document["item"]?.items.first?["request"] != nil)
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        let collection = document["collection"] ?? document
        var variables: [String: String] = [:]
        for variable in collection["variable"]?.items ?? [] {
            guard let name = variable["key"]?.text ?? variable["id"]?.text else { continue }
            variables[name] = variable["value"]?.text
        }
        var reader = PostmanReader(variables: variables)
        reader.collect(collection["item"]?.items ?? [], depth: 0)
        return ImportedFile(stubs: reader.entries)
    }
}

/// Collects the saved responses of a collection: which parts of a request select one depends on the others.
private struct PostmanReader {
    private struct Example {
        let item: ForeignNode
        /// `nil` for an item without a saved response.
        let response: ForeignNode?
        let request: Result<PostmanRequest, LeftOut>
    }

    private struct Key: Hashable {
        let method: String
        let url: String
    }

    /// Folders within folders that are read.
    private static let depthLimit = 64

    private let variables: [String: String]
    private var examples: [Example] = []

    init(variables: [String: String]) {
        self.variables = variables
    }

    mutating func collect(_ items: [ForeignNode], depth: Int) {
        guard depth < Self.depthLimit else { return }
        for item in items {
            if let inner = item["item"], inner.isList {
                self.collect(inner.items, depth: depth + 1)
                continue
            }
            let responses = item["response"]?.items ?? []
            if responses.isEmpty {
                self.examples.append(Example(item: item, response: nil, request: self.request(of: nil, item)))
            }
            for response in responses {
                self.examples.append(Example(item: item, response: response, request: self.request(of: response, item)))
            }
        }
    }

    private func request(of response: ForeignNode?, _ item: ForeignNode) -> Result<PostmanRequest, LeftOut> {
        let request = response?["originalRequest"].flatMap { $0.isNull ? nil : $0 } ?? item["request"]
        do throws(LeftOut) {
            guard let request, !request.isNull else {
                throw LeftOut("it has no request", line: response?.line ?? item.line)
            }
            return .success(try PostmanRequest(request, variables: self.variables))
        } catch {
            return .failure(error)
        }
    }

    var entries: [StubEntry] {
        var parts: [Key: [PostmanRequest.Parts]] = [:]
        for example in self.examples where example.response != nil {
            guard case .success(let request) = example.request else { continue }
            parts[Key(method: request.method, url: request.url), default: []].append(request.parts)
        }
        return self.examples.map { example in
            guard let response = example.response else {
                let leftOut = LeftOut("it has no saved response: nothing to play", line: example.item.line)
                return StubEntry(line: example.item.line, result: .failure(leftOut))
            }
            return StubEntry.reading(response) { (response) throws(LeftOut) in
                let request = try example.request.get()
                let others = parts[Key(method: request.method, url: request.url)] ?? []
                return try self.stub(response, of: example.item, try request.matcher(among: others))
            }
        }
    }

    private func stub(
        _ response: ForeignNode,
        of item: ForeignNode,
        _ matcher: RequestMatcher
    ) throws(LeftOut) -> ImportedStub {
        var take = Take(status: try StubParts.status(response["code"], default: self.status(response)))
        let phrase = (response["status"]?.text ?? "").drop { $0.isNumber }.drop { $0 == " " }
        take.reason = StubParts.reason(String(phrase), take.status)
        take.headers = StubParts.headers(self.headers(response["header"]))
        take.body = StubParts.body(Array(PostmanRequest.filled(response["body"]?.text ?? "", self.variables).utf8))
        let set = ResponseSet(
            name: item["name"]?.text ?? "\(matcher.methods.first ?? "ANY") request",
            request: matcher,
            variants: [Variant(name: response["name"]?.text ?? "example", takes: [take])]
        )
        return ImportedStub(set: set)
    }

    /// `200 OK`, where the number has no key of its own.
    private func status(_ response: ForeignNode) -> Int {
        Int((response["status"]?.text ?? "").prefix { $0.isNumber }) ?? 200
    }

    /// The fields: a list, or lines of text.
    private func headers(_ node: ForeignNode?) -> [HeaderField] {
        guard let text = node?.text else {
            return (node?.items ?? []).compactMap { item in
                guard let name = item["key"]?.text ?? item["name"]?.text, item["disabled"]?.bool != true else {
                    return nil
                }
                return HeaderField(name, item["value"]?.text ?? "")
            }
        }
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingSpaces()
            return HeaderField(String(line[..<colon]), String(value))
        }
    }
}
