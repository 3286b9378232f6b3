/// The purpose of a recorded request, as far as its URL and a word of its body say it.
struct RequestPurpose: Equatable {
    private let methods: [String]
    /// The segments of the path that are words.
    private let path: [String]
    private let operation: [String]

    private init(_ entry: Tape.Entry) {
        self.methods = entry.matcher.methods
        let target: String
        switch entry.set.request.url {
        case .exact(let url): target = url.path
        case .exactPath(let path): target = path
        case .any, .template, .pattern: target = ""
        }
        self.path = target.split(separator: "/").map { ChosenText.isChosen(String($0)) ? String($0) : "" }
        let headers = entry.set.request.headers.filter { Self.operationFields.contains(ASCII.lowercased($0.name)) }
        let json = entry.set.request.body.first?.whole.flatMap(JSONValue.inBody)
        self.operation =
            headers.flatMap { $0.value.plainTexts ?? [] } + Self.operationNames.compactMap { json?[$0]?.stringValue }
    }

    private static let operationFields: Set<String> = ["x-amz-target", "soapaction"]
    /// Of GraphQL, JSON-RPC and others that have one URL for everything.
    private static let operationNames = [
        "query", "operationName", "method", "action", "Action", "op", "operation", "command", "cmd", "event", "type",
        "q",
    ]

    /// Returns true for a place whose value says what is to be done: in JSON, a form, a query, XML or a header field.
    static func isOperation(_ place: String) -> Bool {
        if place.hasPrefix("header ") {
            return self.operationFields.contains(ASCII.lowercased(String(place.dropFirst(7))))
        }
        let name = ASCII.lowercased(RandomPlace.lastName(place))
        return self.operationNames.contains { ASCII.lowercased($0) == name }
    }

    static func areSame(_ one: Tape.Entry, _ other: Tape.Entry) -> Bool {
        RequestPurpose(one) == RequestPurpose(other)
    }
}
