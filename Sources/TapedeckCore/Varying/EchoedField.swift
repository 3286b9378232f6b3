/// Header fields with an id that the client makes for each request, such as `X-Request-Id`, and that its answer has, too.
enum EchoedField {
    /// Shorter values may stand in an answer by chance. In bytes.
    private static let lengths = 8...256

    /// Returns true for a field whose value looks made by chance.
    static func isEchoable(_ field: HeaderField) -> Bool {
        // The look of a value costs most.
        self.lengths.contains(field.value.utf8.count) && !self.isOfProtocol(ASCII.lowercased(field.name))
            && !field.value.utf8.contains(where: { $0 == ASCII.comma || $0 == ASCII.space || $0 == ASCII.semicolon })
            && !field.value.contains(SecretPlaceholder.start) && !ChosenText.isChosen(field.value)
    }

    private static let ofProtocol: Set<String> = [
        "host", "date", "content-length", "content-type", "user-agent", "content-md5", "digest", "origin", "referer",
        "proxy-connection", "connection",
    ]

    /// True for fields whose values HTTP gives a meaning.
    private static func isOfProtocol(_ name: String) -> Bool {
        self.ofProtocol.contains(name) || name.hasPrefix("accept") || name.hasPrefix("x-tapedeck-")
            || SelectingFields.names.contains(name)
    }

    /// Returns true if an answer contains the value. Bodies in files are not searched.
    static func isIn(_ answer: RecordedResponse, _ value: String) -> Bool {
        let bytes = ByteText.bytes(of: value)
        if answer.headers.contains(where: { ByteText.bytes(of: $0.value).containsWord(bytes) }) { return true }
        return if case .bytes(let body) = answer.body { body.containsWord(bytes) } else { false }
    }
}

extension Take {
    /// The fields of its request that its answer may have.
    var echoedFields: [HeaderField] { self.request?.headers.filter(EchoedField.isEchoable) ?? [] }
}

extension ValueBindings {
    /// The bindings of an answer to a request whose fields the answer may have.
    func binding(_ fields: [HeaderField], of request: RequestFacts) -> ValueBindings {
        self.binding(
            fields.compactMap { field in
                guard let live = request.headerValues(field.name).first, live != field.value,
                    EchoedField.isEchoable(HeaderField(field.name, live))
                else { return nil }
                return Pair(recorded: field.value, live: live, place: "header \(field.name)", isOfSurroundings: true)
            }
        )
    }
}
