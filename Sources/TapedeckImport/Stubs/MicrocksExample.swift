import TapedeckCore

/// One example of an operation: a response with the request that it is for.
struct MicrocksExample {
    let name: String
    let line: Int
    let request: ForeignNode
    let response: ForeignNode

    init(name: String, line: Int, _ request: ForeignNode, _ response: ForeignNode) {
        self.name = name
        self.line = line
        self.request = request
        self.response = response
    }

    /// The parameters of the path and of the query with their values.
    var parameters: [(name: String, values: [String])] {
        if let list = self.request["queryParameters"], list.isList {
            return list.items.map { ($0["name"]?.text ?? "", [$0["value"]?.text ?? ""]) }
        }
        return (self.request["parameters"]?.pairs ?? []).flatMap { pair -> [(name: String, values: [String])] in
            if pair.value.isMap {
                return pair.value.pairs.map { ($0.key.text ?? "", [MicrocksResponse.text($0.value) ?? ""]) }
            }
            let values = pair.value.isList ? pair.value.items : [pair.value]
            return [(pair.key.text ?? "", values.map { MicrocksResponse.text($0) ?? "" })]
        }
    }

    /// The values that a snapshot states in the words of the dispatcher, `/name=value?parameter=value`; `nil` without.
    func criteria(_ names: (parts: [String], parameters: [String])) -> [String: [String]]? {
        guard let text = self.response["dispatchCriteria"]?.text else { return nil }
        let marks = names.parts.map { ("/\($0)=", $0) } + names.parameters.map { ("?\($0)=", $0) }
        var result: [String: [String]] = [:]
        var name: String?
        var value = ""
        var rest = text[...]
        func end() {
            if let name { result[name, default: []].append(value) }
            value = ""
        }
        while let character = rest.first {
            if let (mark, found) = marks.first(where: { rest.hasPrefix($0.0) }) {
                end()
                name = found
                rest = rest.dropFirst(mark.count)
            } else {
                value.append(character)
                rest = rest.dropFirst()
            }
        }
        end()
        return result
    }

    /// The header field of a name of the request, as text.
    func header(_ name: String) -> String? {
        if let pair = self.request["headers"]?.pairs.first(where: { $0.key.text == name }) {
            return MicrocksResponse.text(pair.value)
        }
        return self.request["headers"]?.items.first { $0["name"]?.text == name }?["values"]?.items.first?.text
    }

    /// The body of the request; `nil` without one.
    var body: String? {
        (self.request["body"] ?? self.request["content"]).flatMap(MicrocksResponse.text).flatMap {
            $0.isEmpty ? nil : $0
        }
    }
}
