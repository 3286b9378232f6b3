import TapedeckCore

/// Reads environments of Mockoon: a data file, or an export of one or more.
package struct MockoonEnvironment: ImportFormat {
    package let name = "mockoon"

    package init() {}

    package func recognises(_ file: ImportFile) -> Bool {
        guard let document = file.document else { return false }
        return !Self.environments(document).isEmpty
    }

    /// The environments of a data file, or of an export (`data` with an `item` each).
    private static func environments(_ document: ForeignNode) -> [ForeignNode] {
        if self.isEnvironment(document) { return [document] }
        guard document["source"]?.text?.hasPrefix("mockoon") == true || document["id"]?.text == "mockoon_export",
            let data = document["data"]
        else { return [] }
        return (data.isMap ? [data] : data.items).map { $0["item"] ?? $0 }.filter { self.isEnvironment($0) }
    }

    private static func isEnvironment(_ node: ForeignNode) -> Bool {
        guard let routes = node["routes"], routes.isList else { return false }
        let own = ["endpointPrefix", "lastMigration", "proxyMode", "rootChildren"].contains { node[$0] != nil }
        return own && routes.items.allSatisfy { $0["endpoint"] != nil }
    }

    package func read(_ file: ImportFile) throws(ForeignError) -> ImportedFile {
        let document = try file.requiredDocument()
        var entries: [StubEntry] = []
        for node in Self.environments(document) {
            var reader = Reader(node, side: file.side, priority: -entries.count)
            entries += reader.read()
        }
        return ImportedFile(stubs: entries)
    }

    /// Reads the routes of one environment.
    private struct Reader {
        private let node: ForeignNode
        private let side: ImportFile.Sides
        /// The priority of the next set, so that routes are tried in their order, and after sets of other cassettes.
        private var priority: Int
        private var entries: [StubEntry] = []

        init(_ node: ForeignNode, side: @escaping ImportFile.Sides, priority: Int) {
            self.node = node
            self.side = side
            self.priority = priority
        }

        mutating func read() -> [StubEntry] {
            for route in self.routes() {
                let route = MockoonRoute(route, environment: self.node, side: self.side)
                self.entries += route.entries(&self.priority)
            }
            self.readCORS()
            if self.node["proxyMode"]?.bool == true, let proxy = self.node["proxyMode"] {
                let reason = "it forwards all other requests (`proxyMode`): nothing to play"
                self.entries.append(StubEntry(line: proxy.line, result: .failure(LeftOut(reason, line: proxy.line))))
            }
            return self.entries
        }

        /// The routes in the order of the folders; those that no folder names come last.
        private func routes() -> [ForeignNode] {
            let routes = self.node["routes"]?.items ?? []
            guard let children = self.node["rootChildren"], children.isList else { return routes }
            var places: [String: Int] = [:]
            for (index, route) in routes.enumerated() {
                guard let id = route["uuid"]?.text, places[id] == nil else { continue }
                places[id] = index
            }
            var folders: [String: ForeignNode] = [:]
            for folder in self.node["folders"]?.items ?? [] {
                guard let id = folder["uuid"]?.text, folders[id] == nil else { continue }
                folders[id] = folder
            }
            var order: [Int] = []
            var taken: Set<Int> = []
            var seen: Set<String> = []
            // The last is the next one.
            var open = Array(children.items.reversed())
            while let child = open.popLast() {
                guard let id = child["uuid"]?.text else { continue }
                if child["type"]?.text == "folder" {
                    guard seen.insert(id).inserted, let folder = folders[id] else { continue }
                    open += (folder["children"]?.items ?? []).reversed()
                } else if let index = places[id], taken.insert(index).inserted {
                    order.append(index)
                }
            }
            return (order + routes.indices.filter { !taken.contains($0) }).map { routes[$0] }
        }

        /// The answer to every `OPTIONS` request that no route answers.
        private mutating func readCORS() {
            guard let cors = self.node["cors"], cors.bool == true, !self.entries.isEmpty else { return }
            let response = MockoonResponse(
                ForeignNode(.map([]), line: cors.line),
                environment: self.node,
                side: self.side
            )
            self.entries.append(
                StubEntry.reading(cors) { (cors) throws(LeftOut) in
                    var notes = ["it answers every other OPTIONS request, to any host"]
                    var request = try StubCondition.always.matcher(line: cors.line)
                    request.methods = ["OPTIONS"]
                    var set = ResponseSet(
                        name: "OPTIONS any path",
                        request: request,
                        variants: [Variant(name: "cors", behaviour: try response.preflight(&notes))]
                    )
                    set.priority = -1_000_000
                    return ImportedStub(set: set, notes: notes)
                }
            )
        }
    }
}
