import TapedeckCore

/// Reads the examples of OpenAPI descriptions, versions 2.0 to 3.2, in JSON or YAML. Without an example, an answer is
/// generated from the schema.
package struct OpenAPIDescription: ImportFormat {
    package let name = "openapi"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document else { return false }
        return document["openapi"]?.text != nil || document["swagger"]?.text != nil
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let reader = OpenAPIReader(try file.requiredDocument(), side: file.side)
        return ImportedFile(stubs: reader.entries)
    }
}

/// Reads one description.
struct OpenAPIReader {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]

    private let document: ForeignNode
    private let bases: [String]
    private let files: OpenAPIFiles

    init(_ document: ForeignNode, side: @escaping ImportFile.Sides) {
        self.document = document
        self.bases = Self.bases(of: document)
        self.files = OpenAPIFiles(side: side)
    }

    /// One entry for each operation at each server.
    var entries: [StubEntry] {
        guard let paths = self.child(self.document, "paths") else { return [] }
        if let missing = Self.missing(paths, line: paths.line) { return [missing] }
        return paths.pairs.flatMap { path -> [StubEntry] in
            let item = self.resolved(path.value)
            if let missing = Self.missing(item, line: path.key.line) { return [missing] }
            var operations = Self.methods.compactMap { method in item[method].map { (method.uppercased(), $0) } }
            // Of version 3.2: methods as they are written.
            for pair in self.child(item, "additionalOperations")?.pairs ?? [] {
                operations.append((pair.key.text ?? "", pair.value))
            }
            return operations.flatMap { method, operation -> [StubEntry] in
                let operation = self.resolved(operation)
                let servers = [operation, item].lazy.compactMap { $0["servers"] }.first { !$0.items.isEmpty }
                let bases = servers.map { Self.bases(of: $0.items) } ?? self.bases
                return bases.map { base in
                    StubEntry.reading(operation) { (operation) throws(LeftOut) in
                        try self.stub(
                            operation,
                            method: method,
                            path: path.key.text ?? "/",
                            base: base,
                            line: path.key.line
                        )
                    }
                }
            }
        }
    }

    /// The entry for a `$ref` that leads nowhere; `nil` for another node.
    private static func missing(_ node: ForeignNode, line: Int) -> StubEntry? {
        node["$ref"]?.text.map { reference in
            let reason = "`$ref` leads to '\(reference.prefix(200))', which is not there"
            return StubEntry(line: line, result: .failure(LeftOut(reason, line: line)))
        }
    }

    /// The URLs of the servers, without a slash at their ends; only a path, or nothing, for any host.
    private static func bases(of document: ForeignNode) -> [String] {
        if let servers = document["servers"], !servers.items.isEmpty { return self.bases(of: servers.items) }
        guard let host = document["host"]?.text else { return [self.base(document["basePath"]?.text ?? "")] }
        let scheme = document["schemes"]?.items.first?.text ?? "https"
        return [self.base("\(scheme)://\(host)\(document["basePath"]?.text ?? "")")]
    }

    private static func bases(of servers: [ForeignNode]) -> [String] {
        var bases: [String] = []
        for server in servers {
            var url = server["url"]?.text ?? ""
            for variable in server["variables"]?.pairs ?? [] {
                url = url.replacing("{\(variable.key.text ?? "")}", with: variable.value["default"]?.text ?? "")
            }
            let base = self.base(url)
            if !bases.contains(base) { bases.append(base) }
        }
        return bases
    }

    private static func base(_ url: String) -> String {
        var base = url
        while base.hasSuffix("/") { base.removeLast() }
        return base.hasPrefix("http") || base.hasPrefix("/") || base.isEmpty ? base : ""
    }

    /// Returns the value that a `$ref` refers to, in this document or in another file of its folder; the reference if
    /// the value is missing.
    private func resolved(_ node: ForeignNode, depth: Int = 0) -> ForeignNode {
        guard depth < 16, let reference = node["$ref"]?.text else { return node }
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let file = String(parts[0])
        guard var target = file.isEmpty ? self.document : self.files.document(file) else { return node }
        for part in (parts.count > 1 ? parts[1] : "").split(separator: "/") {
            let key = (PercentEncoding.text(String(part)) ?? String(part)).replacing("~1", with: "/")
                .replacing("~0", with: "~")
            // A map on the way may be one, too.
            target = self.resolved(target, depth: depth + 1)
            let item = Int(key).flatMap { target.items.indices.contains($0) ? target.items[$0] : nil }
            guard let next = target[key] ?? item else { return node }
            target = next
        }
        return self.resolved(target, depth: depth + 1)
    }

    /// Returns the value of a key, which may be in another place.
    private func child(_ node: ForeignNode, _ key: String) -> ForeignNode? {
        node[key].map { self.resolved($0) }
    }

    private func stub(
        _ operation: ForeignNode,
        method: String,
        path: String,
        base: String,
        line: Int
    ) throws(LeftOut) -> ImportedStub {
        guard !method.isEmpty, method.utf8.allSatisfy(ASCII.isToken) else {
            throw LeftOut("'\(method.prefix(80))' is no method", line: operation.line)
        }
        var matcher = RequestMatcher(methods: [method])
        let names = path.split(separator: "{").dropFirst().map { $0.prefix { $0 != "}" } }
        var template = base + path
        // A gap has a name of letters, digits and `_`.
        for (number, name) in names.enumerated() {
            template = template.replacing("{\(name)}", with: "{value\(number + 1)}")
        }
        if names.isEmpty, template.hasPrefix("/") {
            // A path without gaps comes before one with them.
            (matcher.url, matcher.refusesOtherQuery) = (.exactPath(template), false)
        } else if names.isEmpty, let url = AbsoluteURL(template) {
            (matcher.url, matcher.refusesOtherQuery) = (.exact(url), false)
        } else {
            do throws(PatternError) {
                matcher.url = .template(try URLTemplate(template))
            } catch {
                throw LeftOut("the path '\(path.prefix(200))' cannot be used: \(error)", line: line)
            }
        }
        var variants: [Variant] = []
        var notes: [String] = []
        for response in self.child(operation, "responses")?.pairs ?? [] {
            self.add(self.resolved(response.value), status: response.key.text ?? "", to: &variants, &notes)
        }
        guard !variants.isEmpty else { throw LeftOut("it has no responses: nothing to play", line: operation.line) }
        // The first that succeeds plays.
        if let index = variants.firstIndex(where: { (200...299).contains($0.takes.first?.status ?? 0) }), index > 0 {
            variants.insert(variants.remove(at: index), at: 0)
        }
        let name = operation["operationId"]?.text ?? "\(method) \(path)"
        return ImportedStub(set: ResponseSet(name: name, request: matcher, variants: variants), notes: notes)
    }

    // MARK: Responses

    private func add(_ response: ForeignNode, status: String, to variants: inout [Variant], _ notes: inout [String]) {
        let number: Int
        switch status.lowercased() {
        case "default": number = variants.isEmpty ? 200 : 500
        case let text where text.count == 3 && text.hasSuffix("xx"): number = (Int(text.prefix(1)) ?? 2) * 100
        case let text: number = Int(text) ?? 0
        }
        guard (200...999).contains(number) else {
            notes.append("the response '\(status.prefix(40))' is left out: no response has that status")
            return
        }
        if let reference = response["$ref"]?.text {
            notes.append("the answer \(status) is empty: '\(reference.prefix(200))' is not there")
        }
        var headers: [HeaderField] = []
        for pair in self.child(response, "headers")?.pairs ?? [] {
            let header = self.resolved(pair.value)
            let value = header["example"] ?? header["schema"]?["example"] ?? header["default"]
            if let text = value?.text { headers.append(HeaderField(pair.key.text ?? "", text)) }
        }
        func add(_ name: String, _ type: String?, _ body: [UInt8]) {
            let taken = Set(variants.map(\.name))
            var unique = name
            var count = 2
            while taken.contains(unique) {
                unique = "\(name) (\(count))"
                count += 1
            }
            let fields = (type.map { [HeaderField("content-type", $0)] } ?? []) + headers
            let take = Take(status: number, headers: StubParts.headers(fields), body: StubParts.body(body))
            variants.append(Variant(name: unique, takes: [take]))
        }
        let examples = self.examples(of: response, &notes, status)
        if let first = examples.first?.type, examples.contains(where: { $0.type != first }) {
            notes.append(
                "the answer \(status) is \(first) by default, whatever the request accepts: other types are variants"
            )
        }
        if examples.isEmpty { add(status, nil, []) }
        for example in examples {
            add(example.name.map { "\(status) \($0)" } ?? status, example.type, example.body)
        }
    }

    private typealias Example = (name: String?, type: String, body: [UInt8])

    private func examples(of response: ForeignNode, _ notes: inout [String], _ status: String) -> [Example] {
        var found: [Example] = []
        // Version 2.
        for pair in response["examples"]?.pairs ?? [] where response["content"] == nil {
            let type = pair.key.text ?? "application/json"
            found.append((nil, type, self.bytes(pair.value, type)))
        }
        if found.isEmpty, let schema = response["schema"] {
            found.append((nil, "application/json", self.synthesised(schema, "application/json", &notes, status)))
        }
        for pair in self.child(response, "content")?.pairs ?? [] {
            let type = pair.key.text ?? "application/json"
            let media = self.resolved(pair.value)
            let count = found.count
            for example in self.child(media, "examples")?.pairs ?? [] {
                let example = (key: example.key, value: self.resolved(example.value))
                if let text = example.value["serializedValue"]?.text {
                    found.append((example.key.text, type, Array(text.utf8)))
                    continue
                }
                if let file = example.value["externalValue"]?.text, let bytes = self.files.bytes(file) {
                    found.append((example.key.text, type, bytes))
                    continue
                }
                guard let value = example.value["value"] ?? example.value["dataValue"] else {
                    let name = (example.key.text ?? "").prefix(80)
                    notes.append("the example '\(name)' of \(status) has no value in the file")
                    continue
                }
                found.append((example.key.text, type, self.bytes(value, type)))
            }
            if let example = media["example"] { found.append((nil, type, self.bytes(example, type))) }
            guard found.count == count else { continue }
            let schema = media["schema"] ?? ForeignNode(.map([]), line: media.line)
            found.append((nil, type, self.synthesised(schema, type, &notes, status)))
        }
        return found
    }

    /// An example as it goes over the wire: JSON for a JSON type, unless it is the text of some already.
    private func bytes(_ node: ForeignNode, _ type: String) -> [UInt8] {
        guard let text = node.text else { return ForeignJSON.text(node, .dotNet) }
        guard ASCII.lowercased(type).contains("json") else { return Array(text.utf8) }
        let isJSON = (try? JSONValue(parsing: Array(text.utf8))) != nil
        return isJSON ? Array(text.utf8) : ForeignJSON.text(node, .dotNet)
    }

    private func synthesised(
        _ schema: ForeignNode,
        _ type: String,
        _ notes: inout [String],
        _ status: String
    ) -> [UInt8] {
        notes.append("the answer \(status) is made up from its schema: there is no example")
        var budget = 2_000
        let json = Array(OpenAPISchema(resolve: { self.resolved($0) }).json(schema, depth: 0, budget: &budget).utf8)
        return ASCII.lowercased(type).contains("json") ? json : []
    }
}

/// The files that a description refers to.
private final class OpenAPIFiles {
    private let side: ImportFile.Sides
    /// `nil` for one that is not there.
    private var documents: [String: ForeignNode?] = [:]

    init(side: @escaping ImportFile.Sides) {
        self.side = side
    }

    /// Returns the content of another file in the description's folder.
    func bytes(_ path: String) -> [UInt8]? {
        path.contains("://") ? nil : self.side(Self.normal(path))
    }

    /// Returns the document of another file in the description's folder, with references as the description would write
    /// them.
    func document(_ path: String) -> ForeignNode? {
        let path = Self.normal(path)
        if let known = self.documents[path] { return known }
        let document = self.side(path).flatMap { try? ForeignNode.documents(of: $0).first }
        let moved = document.map { Self.moved($0, to: path) }
        self.documents[path] = moved
        return moved
    }

    private static func moved(_ node: ForeignNode, to path: String) -> ForeignNode {
        switch node.content {
        case .scalar: return node
        case .list(let items): return ForeignNode(.list(items.map { self.moved($0, to: path) }), line: node.line)
        case .map(let pairs):
            let moved = pairs.map { pair -> ForeignPair in
                guard pair.key.text == "$ref", let reference = pair.value.text, !reference.contains("://") else {
                    return ForeignPair(key: pair.key, value: self.moved(pair.value, to: path))
                }
                let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
                let text = reference.hasPrefix("#") ? path + reference : folder + reference
                return ForeignPair(
                    key: pair.key,
                    value: ForeignNode(.scalar(text, isPlain: false), line: pair.value.line)
                )
            }
            return ForeignNode(.map(moved), line: node.line)
        }
    }

    /// A path without `.` and `..` as far as they can be taken out.
    private static func normal(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}
