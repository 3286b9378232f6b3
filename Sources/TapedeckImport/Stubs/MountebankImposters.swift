import TapedeckCore

/// Reads imposters of mountebank: a file with a list of them, or with one.
package struct MountebankImposters: ImportFormat {
    package let name = "mountebank"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document else { return false }
        if let list = document["imposters"] {
            return list.items.contains { $0["protocol"] != nil || $0["stubs"] != nil }
        }
        guard let name = document["protocol"]?.text, document["port"] != nil || document["stubs"] != nil else {
            return false
        }
        guard document["stubs"]?.isList != false else { return false }
        return ["http", "https", "tcp", "smtp"].contains(name)
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        if file.document == nil, let problem = file.problem, file.bytes.firstRange(of: Array("<%".utf8)) != nil {
            let message = "it is an EJS template: save the imposters with `mb save` first"
            throw ForeignError(message: message, line: problem.line, column: problem.column)
        }
        let document = try file.requiredDocument()
        let nodes = document["imposters"]?.items ?? [document]
        let includes = MountebankIncludes(side: file.side)
        var reader = Reader(side: file.side, includes: includes)
        for node in nodes { reader.read(node) }
        return ImportedFile(stubs: reader.entries + reader.lastEntries)
    }

    /// Collects the stubs of one imposter after the other.
    private struct Reader {
        let side: ImportFile.Sides
        let includes: MountebankIncludes
        var entries: [StubEntry] = []
        /// The default responses, which come after all stubs.
        var lastEntries: [StubEntry] = []
        /// The port of the first imposter.
        private var port: String?
        private var imposters = 0
        /// The requests of stubs before with the priority of each, by method and URL.
        private var known: [String: [(request: RequestMatcher, priority: Int)]] = [:]

        init(side: @escaping ImportFile.Sides, includes: MountebankIncludes) {
            self.side = side
            self.includes = includes
        }

        private mutating func leaveOut(_ error: LeftOut) {
            self.entries.append(StubEntry(line: error.line, result: .failure(error)))
        }

        mutating func read(_ given: ForeignNode) {
            let node: ForeignNode
            do throws(LeftOut) { node = try self.includes.resolved(given) } catch { return self.leaveOut(error) }
            let name = node["protocol"]?.text ?? ""
            guard node.isMap, name == "http" || name == "https" else {
                let kind = name.isEmpty ? "no protocol" : "the protocol \(name)"
                let reason = "it is an imposter of \(kind): cassettes hold HTTP"
                return self.leaveOut(LeftOut(reason, line: node.line))
            }
            self.imposters += 1
            var shared: [String] = []
            let port = node["port"]?.text ?? "its own"
            if self.imposters > 1 {
                shared.append("its port \(port) is left out: stubs of port \(self.port ?? "its own") come first")
            }
            self.port = self.port ?? port
            if MountebankText.isTrue(node["allowCORS"]) {
                shared.append("`allowCORS` is left out: preflights get no fields of their own")
            }
            let responses = MountebankResponses(defaults: node["defaultResponse"], side: self.side)
            let stubs = node["stubs"]?.items ?? []
            if let text = node["stubs"]?.text, text.contains("<%") {
                return self.leaveOut(LeftOut(MountebankIncludes.reason(text), line: node["stubs"]?.line ?? node.line))
            }
            let everything = try? StubCondition.always.matcher(line: node.line)
            var lost: StubEntry?
            for (index, stub) in stubs.enumerated() {
                let notes = index == 0 ? shared : []
                var entry = StubEntry.reading(stub) { (stub) throws(LeftOut) in
                    try Self.stub(try self.includes.resolved(stub), responses, notes)
                }
                if case .success(var imported) = entry.result {
                    imported.set.priority = self.priority(of: imported.set.request)
                    entry = StubEntry(line: entry.line, result: .success(imported))
                    if let lost, imported.set.request == everything { entry = entry.noting(Self.note(on: lost)) }
                } else if case .failure(let error) = entry.result, error.reason != StubCondition.neverHolds {
                    lost = lost ?? entry
                }
                self.entries.append(entry)
            }
            self.readDefault(
                node,
                responses,
                notes: (stubs.isEmpty ? shared : []) + (lost.map { [Self.note(on: $0)] } ?? [])
            )
        }

        private static func note(on lost: StubEntry) -> String {
            StubNote.answersInstead(of: "stub", line: lost.line)
        }

        /// The priority of the next stub: that of the file's order, and never before sets of other cassettes.
        ///
        /// A stub for a request that another one has has its priority, too: it is a variant then, which never answers first.
        private mutating func priority(of request: RequestMatcher) -> Int {
            let key = "\(request.methods) \(request.url)"
            if let same = self.known[key]?.first(where: { $0.request == request }) { return same.priority }
            let priority = -min(self.entries.count, 999_999)
            self.known[key, default: []].append((request, priority))
            return priority
        }

        /// The default response, if the file has one: it answers all requests.
        private mutating func readDefault(_ node: ForeignNode, _ responses: MountebankResponses, notes: [String]) {
            guard let response = node["defaultResponse"], response.isMap else { return }
            let isFirst = self.lastEntries.isEmpty
            self.lastEntries.append(
                StubEntry.reading(response) { (response) throws(LeftOut) in
                    guard isFirst else {
                        throw LeftOut(
                            "it is a default response: that of the imposter before it answers all requests",
                            line: response.line
                        )
                    }
                    var set = ResponseSet(
                        name: "default response",
                        request: try StubCondition.always.matcher(line: response.line),
                        variants: [Variant(name: "stub", takes: [try responses.answer(to: response)])]
                    )
                    set.priority = -1_000_000
                    return ImportedStub(set: set, notes: notes + ["it answers every other request, to any host"])
                }
            )
        }

        private static func stub(
            _ node: ForeignNode,
            _ responses: MountebankResponses,
            _ shared: [String]
        ) throws(LeftOut) -> ImportedStub {
            guard node.isMap else { throw LeftOut("it is no stub", line: node.line) }
            let predicates = node["predicates"]
            guard predicates == nil || predicates?.isList == true || predicates?.isNull == true else {
                throw LeftOut("its predicates are no list", line: predicates?.line ?? node.line)
            }
            var notes = shared
            // A stub that gives nothing to play is left out for that.
            let behaviour = try responses.behaviour(node["responses"]?.items ?? [], &notes, line: node.line)
            let condition = try MountebankPredicate.condition(predicates?.items ?? [], &notes)
            let set = ResponseSet(
                name: Self.name(predicates?.items ?? []),
                request: try condition.matcher(line: node.line),
                variants: [Variant(name: "stub", behaviour: behaviour)]
            )
            return ImportedStub(set: set, notes: notes)
        }

        /// The method and the path that the predicates name.
        private static func name(_ predicates: [ForeignNode]) -> String {
            let all = predicates.flatMap { [$0] + ($0["and"]?.items ?? []) }
            func first(_ field: String) -> String? {
                for predicate in all {
                    for name in ["equals", "deepEquals", "startsWith", "matches", "contains", "endsWith"] {
                        if let text = predicate[name]?[field]?.text { return text }
                    }
                }
                return nil
            }
            return "\(first("method")?.uppercased() ?? "ANY") \(first("path") ?? "any path")".inOneLine
        }
    }
}
