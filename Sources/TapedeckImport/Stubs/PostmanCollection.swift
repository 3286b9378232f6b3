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
        var result = ImportedFile()
        Self.read(collection["item"]?.items ?? [], variables, depth: 0, into: &result)
        return result
    }

    private static func read(
        _ items: [ForeignNode],
        _ variables: [String: String],
        depth: Int,
        into result: inout ImportedFile
    ) {
        for item in items {
            if let inner = item["item"], inner.isList {
                self.read(inner.items, variables, depth: depth + 1, into: &result)
                continue
            }
            let responses = item["response"]?.items ?? []
            if responses.isEmpty {
                let reason = "it has no saved response: nothing to play"
                result.stubs.append(
                    StubEntry(line: item.line, result: .failure(LeftOut(reason, line: item.line)))
                )
            }
            for response in responses {
                result.stubs.append(
                    StubEntry.reading(response) { (response) throws(LeftOut) in
                        try PostmanExample(variables: variables).stub(response, of: item)
                    }
                )
            }
        }
    }
}

/// One saved response.
struct PostmanExample {
    let variables: [String: String]

    func stub(_ response: ForeignNode, of item: ForeignNode) throws(LeftOut) -> ImportedStub {
        let request = response["originalRequest"].flatMap { $0.isNull ? nil : $0 } ?? item["request"]
        guard let request, !request.isNull else { throw LeftOut("it has no request", line: response.line) }
        var matcher = RequestMatcher()
        matcher.methods = [(request["method"]?.text ?? "GET").uppercased()]
        let node = request.text == nil ? request["url"] : request
        guard let node, let url = node.text ?? node["raw"]?.text ?? Self.joined(node) else {
            throw LeftOut("its request has no URL", line: request.line)
        }
        matcher.url = try self.matcher(of: self.filled(url), line: node.line)
        if case .exactPath = matcher.url { matcher.refusesOtherQuery = false }
        var take = Take(status: try StubParts.status(response["code"], default: self.status(response)))
        let phrase = (response["status"]?.text ?? "").drop { $0.isNumber }.drop { $0 == " " }
        take.reason = StubParts.reason(String(phrase), take.status)
        take.headers = StubParts.headers(self.headers(response["header"]))
        take.body = StubParts.body(Array((response["body"]?.text ?? "").utf8))
        let set = ResponseSet(
            name: item["name"]?.text ?? "\(matcher.methods[0]) request",
            request: matcher,
            variants: [Variant(name: response["name"]?.text ?? "example", takes: [take])]
        )
        return ImportedStub(set: set)
    }

    /// The URL of its parts, which are texts or lists of texts; `nil` without a host.
    private static func joined(_ node: ForeignNode) -> String? {
        func text(_ node: ForeignNode?, _ separator: String) -> String? {
            guard let node else { return nil }
            return node.text ?? node.items.map { $0.text ?? $0["value"]?.text ?? "" }.joined(separator: separator)
        }
        guard let host = text(node["host"], "."), !host.isEmpty else { return nil }
        let scheme = node["protocol"]?.text.map { "\($0)://" } ?? ""
        let port = node["port"]?.text.map { ":\($0)" } ?? ""
        let path = text(node["path"], "/") ?? ""
        return "\(scheme)\(host)\(port)\(path.hasPrefix("/") || path.isEmpty ? "" : "/")\(path)"
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

    /// With the values of variables that the collection has.
    private func filled(_ text: String) -> String {
        var text = text
        for _ in 0..<4 where text.contains("{{") {
            for (name, value) in self.variables { text = text.replacing("{{\(name)}}", with: value) }
        }
        return text
    }

    /// A URL in which variables and `:names` are gaps; one whose host is a variable is answered on any host.
    private func matcher(of text: String, line: Int) throws(LeftOut) -> URLMatcher {
        var url = String(text.prefix { $0 != "#" && $0 != "?" })
        if url.hasPrefix("{{") {
            url = url.firstRange(of: "}}").map { String(url[$0.upperBound...]) } ?? url
            url = url.hasPrefix("/") ? url : "/\(url)"
        } else if url.hasPrefix("/") {
            // Of a variable for the origin that is empty or a path.
            url = "/\(url.drop { $0 == "/" })"
        } else if !url.contains("://") {
            url = "http://\(url)"
        }
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        var head = String(url[..<start])
        var parts = url[start...].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if !head.isEmpty, parts[0].contains("{{") {
            head = ""
            parts[0] = ""
        }
        var names = 0
        var hasGaps = false
        for index in parts.indices.dropFirst() {
            let isName = parts[index].hasPrefix(":") && parts[index].count > 1
            guard isName || parts[index].contains("{{") else { continue }
            names += 1
            hasGaps = true
            parts[index] = "{value\(names)}"
        }
        let joined = head + parts.joined(separator: "/")
        if hasGaps {
            do throws(PatternError) {
                return .template(try URLTemplate(joined))
            } catch {
                throw LeftOut("its URL '\(text.prefix(200))' cannot be used: \(error)", line: line)
            }
        }
        if joined.hasPrefix("/") || joined.isEmpty { return .exactPath(joined.isEmpty ? "/" : joined) }
        guard let whole = AbsoluteURL(joined) else {
            throw LeftOut("'\(text.prefix(200))' is no http or https URL", line: line)
        }
        // Postman answers for any query.
        do throws(PatternError) {
            return .template(try URLTemplate(whole.description))
        } catch {
            return .exact(whole)
        }
    }
}
