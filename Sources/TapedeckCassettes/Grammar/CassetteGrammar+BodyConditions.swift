import TapedeckCore
import TapedeckProtobuf
import TapedeckYAML

/// Conditions on a body, or on a message of a call, as a cassette has them.
///
/// They are written in the order in which they were read, one after the other.
struct BodyConditionEntry: Sendable {
    var conditions: [BodyMatcher]
    /// The mapping that is being read: some conditions have keys beside them.
    var node: YAMLNode?

    init(_ conditions: [BodyMatcher], node: YAMLNode? = nil) {
        (self.conditions, self.node) = (conditions, node)
    }
}

extension CassetteGrammar {
    /// The keys of which a body has one or more.
    fileprivate static let bodyConditions = [
        "text", "pattern", "json", "jsonSubset", "jsonPath", "xml", "form", "multipart", "graphql", "base64", "sha256",
    ]

    static let requestBody = Mapping<BodyConditionEntry>(
        "requestBody",
        "the body of a request",
        rules: [
            .some(bodyConditions), .with("ignore", ["json", "xml"]), .with("ignoreArrayOrder", ["json"]),
            .with("layout", ["json"]), .with("otherFields", ["form"]),
        ]
    ) {
        Self.condition("text", .either([.text, .mapping("valueConditions")])) { reader, node, _ in
            reader.readText(node).map { [$0] }
        } write: { writer, condition in
            switch condition {
            case .bytes(let body) where body.form == .text: writer.write(body)
            case .text(.pattern): break
            case .text(let matcher):
                writer.key("text")
                writer.conditions(of: matcher)
            default: break
            }
        }
        .means("a text (`\"\"`: empty) or [value](#values)")
        Self.condition("pattern", .pattern) { reader, node, _ in
            reader.readPattern(node, "pattern", scope: .anywhere).map { [.text(.pattern($0))] }
        } write: { writer, condition in
            if case .text(.pattern(let pattern)) = condition { writer.pair("pattern") { $0.write(pattern) } }
        }
        .means("a pattern that matches part of it")
        Self.json.means(
            "JSON as text; white space, member order and spelling do not count, also in strings that hold JSON. Of a GraphQL "
                + "request the query is compared by its tokens; an `operationName` that is the only one, and empty "
                + "`variables` and `extensions` do not count"
        )
        Self.jsonSubset
        Self.jsonPath
        Self.condition("xml", .text) { reader, node, entry in
            reader.readXML(node, of: entry).map { [$0] }
        } write: { writer, condition in
            guard case .xml(let body, let ignored) = condition else { return }
            writer.key("xml")
            writer.text(body.content)
            writer.ignored(ignored.map(\.description))
        }
        .means(
            "XML as text; white space between elements, namespace prefixes, order of attributes, comments and spelling do not "
                + "count. Without a document type"
        )
        Self.condition("form", .values) { reader, node, entry in
            let others = entry["otherFields"].flatMap { Codec<Bool>.refusal.read(&reader, $0, "otherFields") }
            return [.form(reader.readValues(node, "form"), refusesOthers: others ?? false)]
        } write: { writer, condition in
            guard case .form(let fields, let refusesOthers) = condition else { return }
            if fields.isEmpty { writer.pair("form") { $0.yaml.raw("{}") } }
            writer.write(fields, as: "form")
            if refusesOthers { writer.pair("otherFields") { $0.yaml.raw("refused") } }
        }
        .means("form fields, each a value")
        Self.condition("multipart", .map(.either([.mapping("value"), .mapping("part")]))) { reader, node, _ in
            reader.readParts(node)
        } write: { writer, condition in
            if case .multipart(let parts) = condition { writer.write(parts) }
        }
        .means(
            "parts of `multipart/form-data`: a value each, or `content`, `filename`, `contentType`. JSON and forms in a part are "
                + "compared by what they mean"
        )
        Self.condition("graphql", .either([.text, .mapping("graphql")])) { reader, node, _ in
            reader.readGraphQL(node).map { [$0] }
        } write: { writer, condition in
            if case .graphQL(let operation, let variables) = condition { writer.write(operation, variables) }
        }
        .means(
            "an operation's name, or `{ operation: VALUE, variables: JSON }` (a subset); in JSON, a batch, or the query of a GET"
        )
        Self.base64
        Self.condition("sha256", .matching("^[0-9A-Fa-f]{64}$")) { reader, node, _ in
            reader.readDigest(node).map { [.sha256($0)] }
        } write: { writer, condition in
            if case .sha256(let digest) = condition { writer.pair("sha256") { $0.yaml.scalar(digest) } }
        }
        .means("hexadecimal digest as transferred, without other keys")
        Self.beside("json", "ignore", .oneOrList(.text))
            .means("with `json` or `xml`: paths left out on both sides ([XML](#ignore))")
        Self.beside("json", "ignoreArrayOrder", .bool)
            .means("with `json`, `true`: lists in any order")
        Self.beside("json", "layout", .words(JSONLayout.allCases.map(\.rawValue)))
            .means("with `json`: no effect")
        Self.beside("form", "otherFields", Codec<Bool>.refusal.shape)
            .means("with `form`: `allowed` (default) or `refused`")
    }

    /// A condition on one message of a call.
    static let requestMessage = Mapping<BodyConditionEntry>("requestMessage", "a message") {
        Self.json.means("the message in JSON, compared as a body is")
        Self.jsonSubset
        Self.jsonPath
        Self.condition("proto", .text) { reader, node, entry in
            reader.readFields(node, of: entry).map { [.proto($0)] }
        } write: { writer, condition in
            guard case .proto(let condition) = condition else { return }
            writer.key("proto")
            writer.text(condition.text)
            writer.ignored(condition.ignoredPaths.map(\.description))
        }
        .means("the fields of a message without descriptor, by number")
        Self.base64
        Key("ignore", .oneOrList(.text)) { reader, entry, owner in
            guard owner.node?["json"] == nil, owner.node?["proto"] == nil else { return }
            reader.error(entry.key, "`ignore` goes with `json` or `proto`")
        }
        .means("with `json` or `proto`: paths left out on both sides")
        Self.beside("json", "ignoreArrayOrder", .bool)
            .means("with `json`, `true`: lists in any order")
        Key("more", .yes) { reader, entry, _ in reader.error(entry.key, "`more: true` comes last in `messages`") }
            .means("`true`, alone in the last entry: any further messages, or none")
    }

    private static func condition(
        _ name: StaticString,
        _ shape: Shape,
        read: @escaping @Sendable (inout CassetteReader, _ node: YAMLNode, _ mapping: YAMLNode) -> [BodyMatcher]?,
        write: @escaping @Sendable (inout CassetteWriter, BodyMatcher) -> Void
    ) -> Key<BodyConditionEntry> {
        Key(name, shape) { reader, entry, owner in
            owner.conditions += read(&reader, entry.value, owner.node ?? entry.value) ?? []
        } write: { writer, owner in
            for condition in owner.conditions { write(&writer, condition) }
        }
    }

    private static var json: Key<BodyConditionEntry> {
        self.condition("json", .json) { reader, node, entry in
            reader.readJSONCondition(node, of: entry).map { [$0] }
        } write: { writer, condition in
            guard case .json(let body, let comparison) = condition else { return }
            writer.write(body)
            writer.ignored(comparison.ignoredPaths.map(\.description))
            if comparison.ignoresArrayOrder { writer.pair("ignoreArrayOrder") { $0.yaml.raw("true") } }
        }
    }

    private static var jsonSubset: Key<BodyConditionEntry> {
        self.condition("jsonSubset", .json) { reader, node, _ in
            reader.readExpectedJSON(node, "jsonSubset").map { [.jsonSubset(InlineBody(form: .json, content: $0))] }
        } write: { writer, condition in
            guard case .jsonSubset(let body) = condition else { return }
            writer.key("jsonSubset")
            writer.text(body.content)
        }
        .means("JSON that the body contains: each member, and each item of a list in any order")
    }

    /// All of them are under one key.
    private static var jsonPath: Key<BodyConditionEntry> {
        Key("jsonPath", .map(.either([.null, .mapping("value"), .mapping("jsonTest")]))) { reader, entry, owner in
            owner.conditions += reader.readTests(entry.value)
        } write: { writer, owner in
            guard case .jsonPath? = owner.conditions.first else { return }
            writer.key("jsonPath")
            writer.block { writer in
                for case .jsonPath(let path, let test) in owner.conditions {
                    writer.key(path.description)
                    writer.inline { $0.write(test) }
                }
            }
        }
        .means("JSON paths with [tests](#tests-of-json)")
    }

    private static var base64: Key<BodyConditionEntry> {
        self.condition("base64", .text) { reader, node, _ in
            reader.readBase64(node).map { [.bytes(InlineBody(form: .base64, content: $0))] }
        } write: { writer, condition in
            if case .bytes(let body) = condition, body.form != .text { writer.write(body) }
        }
        .means("bytes")
    }

    /// A key that refines another one, which it then requires; that one reads it.
    private static func beside(_ other: String, _ name: StaticString, _ shape: Shape) -> Key<BodyConditionEntry> {
        Key(name, shape) { reader, entry, owner in
            let isOfXML = name.description == "ignore" && owner.node?["xml"] != nil
            if owner.node?[other] == nil, !isOfXML {
                let others = name.description == "ignore" ? "`json` or `xml`" : "`\(other)`"
                reader.error(entry.key, "`\(name)` goes with \(others) only")
            }
        }
    }

    static let part = Mapping<BodyMatcher.Part>("part", "a part") {
        Key("content", \.content, .value, usually: .present)
            .means("the content of the part")
        Key("filename", \.filename, .value)
            .means("the name of the part's file")
        Key("contentType", \.contentType, .value)
            .means("the media type of the part")
    }

    static let graphQL = Mapping<(operation: ValueMatcher?, variables: [UInt8]?)>("graphql", "`graphql`") {
        Key("operation", \.operation, .value)
            .means("the operation's name")
        Key("variables", \.variables, .expectedJSON)
            .means("JSON that the variables contain")
    }
}

extension Codec where Value == [UInt8] {
    /// JSON that a request is compared with.
    fileprivate static var expectedJSON: Self {
        Codec(.json, read: { $0.readExpectedJSON($1, $2) }, write: { $0.text($1) })
    }
}

/// Conditions on the body of a request.
extension CassetteReader {
    mutating func readBodyConditions(_ node: YAMLNode) -> [BodyMatcher] {
        var entry = BodyConditionEntry([], node: node)
        let problems = self.diagnostics.count
        guard self.read(node, by: CassetteGrammar.requestBody, into: &entry) else { return [] }
        let known = CassetteGrammar.bodyConditions
        // An error about the existing keys is enough.
        if self.diagnostics.count == problems, !node.pairs.contains(where: { known.contains($0.key.string) }) {
            self.error(node, "`body` needs one of \(known.joined(separator: ", "))")
        }
        if let digest = node["sha256"], node.count > 1 {
            self.error(digest, "a condition on a body's digest cannot be combined with others")
        }
        return entry.conditions
    }

    fileprivate mutating func readText(_ node: YAMLNode) -> BodyMatcher? {
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
        if let ignored = node["ignore"] {
            comparison.ignoredPaths = Codec<[JSONPath]>.jsonPaths.read(&self, ignored, "ignore") ?? []
        }
        if let order = node["ignoreArrayOrder"] {
            comparison.ignoresArrayOrder = self.bool(order, "ignoreArrayOrder") ?? false
        }
        let layout = node["layout"].flatMap { self.choice($0, "layout", JSONLayout.allCases) }
        guard let text = self.readExpectedJSON(value, "json") else { return nil }
        return .json(InlineBody(form: .json, content: text, layout: layout), comparison)
    }

    fileprivate mutating func readXML(_ value: YAMLNode, of node: YAMLNode) -> BodyMatcher? {
        let paths = node["json"] == nil ? node["ignore"] : nil
        let ignored = paths.flatMap { Codec<[XMLPath]>.xmlPaths.read(&self, $0, "ignore") } ?? []
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

    fileprivate mutating func readDigest(_ node: YAMLNode) -> String? {
        let text = node.string
        guard text.utf8.count == 64, text.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) else {
            self.error(node, "`sha256` is 64 hexadecimal digits")
            return nil
        }
        return ASCII.lowercased(text)
    }

    // MARK: Multipart

    fileprivate mutating func readParts(_ node: YAMLNode) -> [BodyMatcher] {
        guard self.expectMapping(node, "multipart") else { return [] }
        let parts = node.pairs.compactMap { key, value in self.readPart(key.string, value) }
        return [.multipart(parts)]
    }

    private mutating func readPart(_ name: String, _ node: YAMLNode) -> BodyMatcher.Part? {
        let what = "multipart \(name)"
        let isWhole = node.pairs.contains { CassetteGrammar.part.names.contains($0.key.string) }
        guard isWhole else { return self.readValue(node, what).map { BodyMatcher.Part(name: name, content: $0) } }
        var part = BodyMatcher.Part(name: name, content: .present)
        _ = self.read(node, by: CassetteGrammar.part, into: &part, what: "`\(what)`")
        return part
    }

    // MARK: GraphQL

    fileprivate mutating func readGraphQL(_ node: YAMLNode) -> BodyMatcher? {
        guard node.kind == .mapping else {
            return self.text(node, "graphql", allowsEmpty: true).map {
                .graphQL(operation: .equals($0), variables: nil)
            }
        }
        var read: (operation: ValueMatcher?, variables: [UInt8]?) = (nil, nil)
        _ = self.read(node, by: CassetteGrammar.graphQL, into: &read)
        if node.count == 0 { self.error(node, "`graphql` is the name of an operation, or has operation or variables") }
        return .graphQL(
            operation: read.operation,
            variables: read.variables.map { InlineBody(form: .json, content: $0) }
        )
    }
}

/// Conditions on the messages of a call.
extension CassetteReader {
    mutating func readMessageConditions(_ node: YAMLNode) -> MessagesMatcher? {
        guard self.expectSequence(node, "messages") else { return nil }
        var items = Array(node.items)
        let isOpen = items.last.map { $0["more"] != nil } ?? false
        if isOpen, let last = items.popLast() { self.readMore(last) }
        return MessagesMatcher(items.map { self.readMessageCondition($0) }, type: self.method?.input, isOpen: isOpen)
    }

    /// Reads `more: true`, the last entry of a call that was over before its request was.
    private mutating func readMore(_ node: YAMLNode) {
        for (key, value) in node.pairs {
            if key.string != "more" {
                self.error(key, "`more: true` is an entry of its own: any further messages, or none")
            } else if value.bool != true {
                self.error(value, "`more` is `true`; leave the entry out where no more messages may follow")
            }
        }
    }

    private mutating func readMessageCondition(_ node: YAMLNode) -> [BodyMatcher] {
        var entry = BodyConditionEntry([], node: node)
        _ = self.read(node, by: CassetteGrammar.requestMessage, into: &entry)
        if let json = node["json"] { self.checkFields(entry.conditions, json) }
        return entry.conditions
    }

    /// Without placeholders the JSON must be a message of its type.
    private mutating func checkFields(_ conditions: [BodyMatcher], _ node: YAMLNode) {
        let json = conditions.lazy.compactMap {
            if case .json(let body, _) = $0, $0.identity != nil { body } else { nil }
        }
        guard let type = self.method?.input, let body = json.first else { return }
        do throws(StoredMessage.Invalid) {
            _ = try StoredMessage.bytes(of: body.content, .json, .protobuf(type))
        } catch {
            self.error(node, "`json`: \(error)")
        }
    }

    fileprivate mutating func readFields(_ value: YAMLNode, of node: YAMLNode) -> ProtobufCondition? {
        guard value.kind == .scalar else {
            self.refuseCollection(value, "proto")
            return nil
        }
        let text = value.bytes
        let bytes: [UInt8]
        do throws(StoredMessage.Invalid) {
            bytes = try StoredMessage.bytes(of: text, .proto, .protobuf(nil))
        } catch {
            self.error(value, "`proto`: \(error)")
            return nil
        }
        guard let message = ProtobufMessage(parsing: bytes) else { return nil }
        var paths: [ProtobufPath] = []
        // If there is JSON as well, these are its paths.
        if let ignore = node["ignore"], node["json"] == nil, let items = self.listItems(ignore, "ignore") {
            for item in items {
                if let path = ProtobufPath(item.string) {
                    paths.append(path)
                } else {
                    self.error(
                        item,
                        "`ignore` beside `proto` has numbers of fields, such as 2, or 1.3 for field 3 in field 1"
                    )
                }
            }
        }
        return ProtobufCondition(text: text, message: message, ignoring: paths)
    }
}

extension CassetteWriter {
    /// The lines of what the body of a request must be.
    mutating func write(_ conditions: [BodyMatcher]) {
        self.write(conditions, by: CassetteGrammar.requestBody)
    }

    private mutating func write(_ conditions: [BodyMatcher], by mapping: Mapping<BodyConditionEntry>) {
        let paths = conditions.filter { if case .jsonPath = $0 { true } else { false } }
        var hasPaths = false
        var hasPattern = false
        for condition in conditions {
            switch condition {
            case .jsonPath:
                if !hasPaths { self.write(BodyConditionEntry(paths), by: mapping) }
                hasPaths = true
            case .text(.pattern(let pattern)) where hasPattern:
                // The key is used already.
                self.key("text")
                self.conditions(of: .pattern(pattern))
            default:
                if case .text(.pattern) = condition { hasPattern = true }
                self.write(BodyConditionEntry([condition]), by: mapping)
            }
        }
    }

    /// The conditions on the messages of a request.
    mutating func write(_ matcher: MessagesMatcher) {
        self.key("messages")
        guard !matcher.items.isEmpty || matcher.isOpen else {
            self.inline { $0.yaml.raw("[]") }
            return
        }
        // Behind the others, `more` is an entry of its own.
        self.items(matcher.items + (matcher.isOpen ? [nil] : [])) { writer, conditions in
            if let conditions {
                writer.write(conditions, by: CassetteGrammar.requestMessage)
            } else {
                writer.pair("more") { $0.yaml.raw("true") }
            }
        }
    }

    fileprivate mutating func ignored(_ paths: [String]) {
        if !paths.isEmpty { self.pair("ignore") { $0.flowList(paths) } }
    }

    fileprivate mutating func write(_ parts: [BodyMatcher.Part]) {
        self.key("multipart")
        guard !parts.isEmpty else {
            self.inline { $0.yaml.raw("{}") }
            return
        }
        self.block { writer in
            for part in parts {
                writer.key(part.name)
                writer.inline { writer in
                    guard part.filename != nil || part.contentType != nil else {
                        writer.write(part.content)
                        return
                    }
                    writer.flowMapping { $0.write(part, by: CassetteGrammar.part) }
                }
            }
        }
    }

    fileprivate mutating func write(_ operation: ValueMatcher?, _ variables: InlineBody?) {
        self.key("graphql")
        if case .equals(let name) = operation, variables == nil {
            self.inline { $0.yaml.scalar(name) }
        } else {
            self.block { $0.write((operation, variables?.content), by: CassetteGrammar.graphQL) }
        }
    }
}
