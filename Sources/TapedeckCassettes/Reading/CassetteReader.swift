package import TapedeckCore

/// Reads a cassette's text into the model, and says with file, line and column what is wrong with it.
package struct CassetteReader {
    /// A cassette with everything there is to say about its file.
    package struct Result: Sendable {
        package var cassette: Cassette
        package var diagnostics: [Diagnostic]
        /// The parsed text, for editing it in place; `nil` when it could not be parsed.
        package var document: YAMLDocument?

        package var hasErrors: Bool { self.diagnostics.contains { $0.severity == .error } }
    }

    let path: String
    private let name: String
    var diagnostics: [Diagnostic] = []

    private init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// - Parameters:
    ///   - name: what the user calls the cassette.
    ///   - path: where it is; body files are looked up beside it.
    package static func read(_ source: [UInt8], name: String, path: String) -> Result {
        var reader = CassetteReader(name: name, path: path)
        var cassette = Cassette(name: name, path: path, responseSets: [])
        do {
            let document = try YAMLDocument(parsing: source)
            if let root = document.root {
                reader.readTop(root, into: &cassette)
            } else {
                reader.diagnostics.append(
                    Diagnostic(
                        severity: .error,
                        path: path,
                        line: 1,
                        column: 1,
                        message: "the file is empty; a cassette begins with `tapedeck: 1`"
                    )
                )
            }
            return Result(cassette: cassette, diagnostics: reader.diagnostics, document: document)
        } catch {
            let problem = Diagnostic(
                severity: .error,
                path: path,
                line: error.line,
                column: error.column,
                message: error.message
            )
            return Result(cassette: cassette, diagnostics: [problem], document: nil)
        }
    }

    // MARK: Top

    private mutating func readTop(_ root: YAMLNode, into cassette: inout Cassette) {
        guard self.expectMapping(root, "a cassette"), self.readVersion(root) else { return }
        self.checkKeys(root, CassetteKeys.top, of: "a cassette")
        if let about = root["about"] { cassette.about = self.text(about, "about") }
        guard let sets = root["responseSets"], !sets.isNull else { return }
        guard self.expectSequence(sets, "responseSets") else { return }
        cassette.responseSets.reserveCapacity(sets.count)
        var lines: [String: YAMLNode] = [:]
        var conditions: [SetIdentity: String] = [:]
        for node in sets.items {
            guard let set = self.readSet(node) else { continue }
            if let first = lines.updateValue(node, forKey: set.name) {
                self.error(
                    node["name"] ?? node,
                    "the response set \"\(set.name)\" is already defined in line \(first.position.line); "
                        + "give each set a name of its own"
                )
            }
            let identity = SetIdentity(
                key: RequestKey(method: set.request.method, url: set.request.url),
                condition: set.request.body?.identity
            )
            if let earlier = conditions[identity] {
                self.warn(node, "this set never answers: \"\(earlier)\" answers the same requests and comes first")
            } else {
                conditions[identity] = set.name
            }
            cassette.responseSets.append(set)
        }
    }

    /// Two sets with the same one answer the same requests.
    private struct SetIdentity: Hashable {
        var key: RequestKey
        var condition: BodyMatcher.Identity?
    }

    /// Says whether the rest of the file can be read by this version's rules.
    private mutating func readVersion(_ root: YAMLNode) -> Bool {
        guard let node = root["tapedeck"] else {
            self.error(root, "a cassette says which format it is written in: begin it with `tapedeck: 1`")
            return false
        }
        guard let version = node.int, version >= 1 else {
            self.error(node, "`tapedeck` is the number of the format: write `tapedeck: 1`")
            return false
        }
        guard version <= CassetteKeys.formatVersion else {
            self.error(
                node,
                "this cassette is written in format \(version), and this Tapedeck reads formats up to "
                    + "\(CassetteKeys.formatVersion): use a newer Tapedeck"
            )
            return false
        }
        return true
    }

    // MARK: Sets

    private mutating func readSet(_ node: YAMLNode) -> ResponseSet? {
        guard self.expectMapping(node, "a response set") else { return nil }
        self.checkKeys(node, CassetteKeys.set, of: "a response set")
        guard let nameNode = self.require("name", in: node, of: "a response set"),
            let name = self.text(nameNode, "name"),
            let requestNode = self.require("request", in: node, of: "the response set \"\(name)\""),
            let request = self.readMatcher(requestNode),
            let variantsNode = self.require("variants", in: node, of: "the response set \"\(name)\""),
            self.expectSequence(variantsNode, "variants")
        else { return nil }
        var variants: [Variant] = []
        var names: Set<String> = []
        for variantNode in variantsNode.items {
            guard let variant = self.readVariant(variantNode) else { continue }
            if !names.insert(variant.name).inserted {
                self.error(variantNode, "the variant \"\(variant.name)\" comes twice in the response set \"\(name)\"")
            }
            variants.append(variant)
        }
        guard !variants.isEmpty else {
            if variantsNode.count == 0 {
                self.error(variantsNode, "the response set \"\(name)\" has no variants, so it has no answer")
            }
            return nil
        }
        return ResponseSet(name: name, request: request, variants: variants)
    }

    private mutating func readMatcher(_ node: YAMLNode) -> RequestMatcher? {
        guard self.expectMapping(node, "request") else { return nil }
        self.checkKeys(node, CassetteKeys.request, of: "request")
        guard let urlNode = self.require("url", in: node, of: "request"), let text = self.text(urlNode, "url") else {
            return nil
        }
        guard var url = AbsoluteURL(text) else {
            self.error(urlNode, "`url` is a whole URL, such as https://api.example.com/users")
            return nil
        }
        if let query = node["query"] { self.add(query: query, to: &url) }
        let method = node["method"].flatMap { self.text($0, "method") }
        if let method, let node = node["method"], method != method.uppercased() {
            self.warn(node, "methods are told apart by case (RFC 9110 section 9.1): nobody sends \(method)")
        }
        return RequestMatcher(
            method: method,
            url: url,
            body: node["body"].flatMap { self.readCondition($0) }
        )
    }

    /// Adds `query: {q: swift}` to the URL, percent-encoded.
    private mutating func add(query: YAMLNode, to url: inout AbsoluteURL) {
        guard self.expectMapping(query, "query") else { return }
        for (key, value) in query.pairs {
            let values = value.kind == .sequence ? Array(value.items) : [value]
            for value in values {
                guard let text = self.text(value, "query \(key.string)", allowsEmpty: true) else { continue }
                url.target += url.target.contains("?") ? "&" : "?"
                url.target += "\(Self.encoded(key.string))=\(Self.encoded(text))"
            }
        }
    }

    /// Percent-encodes all but what RFC 3986 section 3.4 allows in a query, and what would end the parameter.
    private static func encoded(_ text: String) -> String {
        let kept: Set<UInt8> = Set("!$'()*,;:@/?".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [ASCII.percent, ASCII.hexDigit(byte >> 4), ASCII.hexDigit(byte & 0x0F)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func readCondition(_ node: YAMLNode) -> BodyMatcher? {
        guard self.expectMapping(node, "body") else { return nil }
        if let digest = node["sha256"] {
            self.checkKeys(node, ["sha256"], of: "a body matched by its digest")
            let text = digest.string
            guard text.utf8.count == 64, text.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) else {
                self.error(digest, "`sha256` is 64 hexadecimal digits")
                return nil
            }
            return .sha256(ASCII.lowercased(text))
        }
        self.checkKeys(node, CassetteKeys.requestBody, of: "the body of a request")
        guard case .inline(let body) = self.readBody(node) else {
            return .bytes(InlineBody(form: .text, content: []))
        }
        return body.form == .json ? .json(body.resolved) : .bytes(body.resolved)
    }

    private mutating func readVariant(_ node: YAMLNode) -> Variant? {
        guard self.expectMapping(node, "a variant") else { return nil }
        self.checkKeys(node, CassetteKeys.variant, of: "a variant")
        guard let nameNode = self.require("name", in: node, of: "a variant"), let name = self.text(nameNode, "name")
        else { return nil }
        if let faultNode = node["fault"] {
            if let takes = node["takes"] {
                self.error(takes, "a variant has `takes` or `fault`, not both; a take can have a fault of its own")
            }
            return self.readFault(faultNode).map { Variant(name: name, takes: [Take(fault: $0)]) }
        }
        guard let takesNode = self.require("takes", in: node, of: "the variant \"\(name)\""),
            self.expectSequence(takesNode, "takes")
        else { return nil }
        var takes: [Take] = []
        takes.reserveCapacity(takesNode.count)
        for take in takesNode.items {
            if let take = self.readTake(take) { takes.append(take) }
        }
        guard !takes.isEmpty else {
            if takesNode.count == 0 {
                self.error(takesNode, "the variant \"\(name)\" has no takes, so it has no answer")
            }
            return nil
        }
        return Variant(name: name, takes: takes)
    }
}
