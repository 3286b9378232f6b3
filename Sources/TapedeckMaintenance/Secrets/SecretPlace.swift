import TapedeckCassettes
import TapedeckCore
import TapedeckYAML

/// A text of a cassette's file that may contain a secret, with its context.
struct SecretPlace {
    indirect enum Kind: Equatable {
        case url
        /// The value of a query parameter, percent-encoding undone.
        case query(String)
        /// The value of a header field of a request.
        case requestField(String)
        /// The value of a header field of a response.
        case responseField(String)
        case cookie(String)
        /// The value of a form field or of a part of a multipart body.
        case form(String)
        /// The value of a member of a JSON body.
        case member(String)
        case json
        /// The name of a response set, which may have a query in it: `GET host/path?query`.
        case setName
        /// A body that is text, of a media type if that is known.
        case text(type: String?)
        /// A body in base64.
        case base64(type: String?)
        /// The name of a body file.
        case file(type: String?)
        /// A regular expression for a text of another kind.
        case pattern(Kind)
    }

    var kind: Kind
    /// True for the conditions of a request, whose fields hold secrets whatever they look like.
    var isRequest: Bool
    /// A scalar.
    var node: YAMLNode
    /// True for a condition that ignores case.
    var ignoresCase = false
}

extension SecretPlace {
    /// The places of a cassette, in the order of the file. The file need not be valid: what is unknown is searched as text.
    static func all(in document: YAMLDocument) -> [SecretPlace] {
        var search = SecretPlaceSearch()
        if let root = document.root { search.visit(root, Context()) }
        return search.places
    }

    /// The context of a node, from its ancestors.
    fileprivate struct Context {
        var isResponse = false
        /// The place is among the conditions of a request.
        var isRequest = false
        /// True if keys are names of response sets.
        var namesSets = false
        /// The media type of the body.
        var type: String?
    }
}

/// Walks over a cassette's file.
private struct SecretPlaceSearch {
    private(set) var places: [SecretPlace] = []

    /// Keys without text from the wire.
    private static let passedOver: Set<String> = [
        "tapedeck", "match", "ignore", "redact", "secrets", "time", "recorded", "layout", "encoding", "keepsEncoding",
        "sha256",
        "status",
        "method", "fault", "urlError", "pieces", "maxAge", "streams",
    ]

    mutating func visit(_ node: YAMLNode, _ context: SecretPlace.Context) {
        switch node.kind {
        case .scalar: self.places.append(SecretPlace(kind: .text(type: nil), isRequest: context.isRequest, node: node))
        case .sequence: for item in node.items { self.visit(item, context) }
        case .mapping: self.visitPairs(node, context)
        }
    }

    private mutating func visitPairs(_ node: YAMLNode, _ context: SecretPlace.Context) {
        var context = context
        if let headers = node["headers"] { context.type = Self.contentType(headers) }
        for (key, value) in node.pairs {
            let name = key.string
            if context.namesSets { self.places.append(SecretPlace(kind: .setName, isRequest: true, node: key)) }
            switch name {
            case _ where Self.passedOver.contains(name): continue
            case "name": self.leaves(value, .setName, context)
            case "profiles": self.profiles(value)
            case "takes", "interim":
                context.isResponse = true
                context.isRequest = false
                self.visit(value, context)
            case "request":
                var inner = context
                inner.isResponse = false
                inner.isRequest = true
                self.visit(value, inner)
            case "headers", "trailers": self.fields(value, context)
            case "url", "urlTemplate": self.leaves(value, .url, context)
            case "query": self.conditions(value, context) { .query($0) }
            case "cookies": self.conditions(value, context) { .cookie($0) }
            case "form", "multipart": self.conditions(value, context) { .form($0) }
            case "json", "jsonSubset", "variables": self.json(value, context)
            case "jsonPath": self.conditions(value, context) { .member(Self.member($0)) }
            case "text": self.condition(value, .text(type: context.type), context)
            case "pattern", "urlPattern", "hostPattern":
                self.leaves(value["pattern"] ?? value, .pattern(.text(type: nil)), context)
            case "base64": self.leaves(value, .base64(type: context.type), context)
            case "file", "encoded": self.leaves(value, .file(type: context.type), context)
            default: self.visit(value, context)
            }
        }
    }

    private mutating func profiles(_ node: YAMLNode) {
        var context = SecretPlace.Context()
        context.namesSets = true
        for (key, value) in node.pairs {
            self.places.append(SecretPlace(kind: .text(type: nil), isRequest: false, node: key))
            self.visit(value, context)
        }
    }

    private static func contentType(_ headers: YAMLNode) -> String? {
        let pairs = headers.kind == .sequence ? headers.items.flatMap { Array($0.pairs) } : Array(headers.pairs)
        return pairs.first { ASCII.equalsIgnoringCase($0.key.string, "content-type") }?.value.string
    }

    /// The name of the member that a JSON path selects.
    private static func member(_ path: String) -> String {
        // `$.password[0:]` selects in the member, too.
        path.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" }
            .last { $0.contains(where: \.isLetter) }.map(String.init) ?? ""
    }

    /// Adds header fields in the form of a take, a list of pairs, or in that of a request, by name.
    private mutating func fields(_ node: YAMLNode, _ context: SecretPlace.Context) {
        guard context.isResponse else {
            self.conditions(node, context) { .requestField($0) }
            return
        }
        for item in node.kind == .sequence ? Array(node.items) : [node] {
            for (key, value) in item.pairs { self.leaves(value, .responseField(key.string), context) }
        }
    }

    /// Adds the values of conditions on names.
    private mutating func conditions(
        _ node: YAMLNode,
        _ context: SecretPlace.Context,
        _ kind: (String) -> SecretPlace.Kind
    ) {
        for (key, value) in node.pairs { self.condition(value, kind(key.string), context) }
    }

    /// Adds the texts of a condition on one value: a whole value is a secret by its name, a part of one only by its form.
    private mutating func condition(_ node: YAMLNode, _ kind: SecretPlace.Kind, _ context: SecretPlace.Context) {
        guard node.kind == .mapping else {
            self.leaves(node, kind, context)
            return
        }
        for (key, value) in node.pairs {
            switch key.string {
            case "equals", "oneOf", "values": self.leaves(value, kind, context)
            case "not", "content": self.condition(value, kind, context)
            case "contains", "prefix", "suffix", "filename", "contentType":
                self.condition(value, .text(type: nil), context)
            case "pattern":
                self.leaves(value, .pattern(kind), context)
                // What is no text has added no place.
                if value.kind == .scalar, node["ignoreCase"]?.bool == true {
                    self.places[self.places.count - 1].ignoresCase = true
                }
            default: continue
            }
        }
    }

    private mutating func json(_ node: YAMLNode, _ context: SecretPlace.Context) {
        guard node.kind != .scalar else {
            self.places.append(SecretPlace(kind: .json, isRequest: context.isRequest, node: node))
            return
        }
        for item in node.items { self.json(item, context) }
        for (key, value) in node.pairs {
            if value.kind == .scalar {
                self.places.append(SecretPlace(kind: .member(key.string), isRequest: context.isRequest, node: value))
            } else {
                self.json(value, context)
            }
        }
    }

    /// Adds a scalar, or each of a list.
    private mutating func leaves(_ node: YAMLNode, _ kind: SecretPlace.Kind, _ context: SecretPlace.Context) {
        switch node.kind {
        case .scalar: self.places.append(SecretPlace(kind: kind, isRequest: context.isRequest, node: node))
        case .sequence: for item in node.items { self.leaves(item, kind, context) }
        case .mapping: for (_, value) in node.pairs { self.leaves(value, kind, context) }
        }
    }
}
