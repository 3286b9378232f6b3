import TapedeckCore

/// Reads the requests of Insomnia's exports, versions 4 and 5. They have no answers.
struct InsomniaRequests {
    private static let maximumDepth = 64

    private let side: ImportFile.Sides
    private let values: RequestValues
    private(set) var entries: [RequestEntry] = []

    /// - Parameter side: reads files beside the export.
    init(_ document: ForeignNode, values: RequestValues = RequestValues(), side: @escaping ImportFile.Sides) {
        self.side = side
        self.values = values
        self.readResources(document["resources"]?.items ?? [])
        let environments = self.environments(
            document["environments"],
            document["environments"]?["subEnvironments"]?.items ?? []
        )
        self.readItems(document["collection"]?.items ?? [], folders: [], environments)
    }

    /// The environments of a request: those that are used, and those of which none is.
    private struct Environments {
        var used: [ForeignNode] = []
        var unused: [ForeignNode] = []
    }

    /// Returns the base environment and the one within it that is chosen, or alone.
    private func environments(_ base: ForeignNode?, _ inner: [ForeignNode]) -> Environments {
        var environments = Environments()
        if let data = base?["data"] { environments.used.append(data) }
        let name = self.values.environment ?? (inner.count == 1 ? inner.first?["name"]?.text : nil)
        if let chosen = inner.first(where: { $0["name"]?.text == name }) {
            if let data = chosen["data"] { environments.used.append(data) }
        } else {
            environments.unused = inner.compactMap { $0["data"] }
        }
        return environments
    }

    // MARK: Version 5

    private mutating func readItems(
        _ items: [ForeignNode],
        folders: [ForeignNode],
        _ environments: Environments
    ) {
        guard folders.count < Self.maximumDepth else { return }
        for item in items {
            if let children = item["children"] {
                self.readItems(children.items, folders: folders + [item], environments)
            } else if item["method"] != nil {
                self.add(item, folders, environments)
            } else if item["url"] != nil {
                self.leaveOut(item)
            }
        }
    }

    // MARK: Version 4

    /// Reads a flat list, in which each resource names its parent.
    private mutating func readResources(_ resources: [ForeignNode]) {
        var known: [String: ForeignNode] = [:]
        for node in resources { if let name = node["_id"]?.text { known[name] = node } }
        var environments: [String: [ForeignNode]] = [:]
        for node in resources where node["_type"]?.text == "environment" {
            environments[node["parentId"]?.text ?? "", default: []].append(node)
        }
        for node in resources {
            switch node["_type"]?.text {
            case "request":
                let ancestors = Self.ancestors(of: node, known)
                let workspace = ancestors.last?["_id"]?.text ?? node["parentId"]?.text ?? ""
                let base = environments[workspace]?.first
                let inner = base.flatMap { $0["_id"]?.text }.flatMap { environments[$0] } ?? []
                let chosen = self.environments(base, inner)
                let folders = ancestors.filter { $0["_type"]?.text == "request_group" }.reversed()
                self.add(node, Array(folders), chosen)
            case "grpc_request", "socketio_request", "websocket_request": self.leaveOut(node)
            default: continue
            }
        }
    }

    /// Returns the resources that a resource is in, from the inside out.
    private static func ancestors(of node: ForeignNode, _ known: [String: ForeignNode]) -> [ForeignNode] {
        var ancestors: [ForeignNode] = []
        var name = node["parentId"]?.text
        while let parent = name.flatMap({ known[$0] }), ancestors.count < self.maximumDepth {
            ancestors.append(parent)
            name = parent["parentId"]?.text
        }
        return ancestors
    }

    // MARK: Entries

    private mutating func add(_ node: ForeignNode, _ folders: [ForeignNode], _ environments: Environments) {
        let own = folders.compactMap { $0["environment"] }.filter(\.isMap)
        let template = InsomniaTemplate(
            environments.used + own,
            given: self.values.variables,
            unused: environments.unused
        )
        let sender = InsomniaSender(template: template, folders: folders, side: self.side)
        self.entries.append(
            RequestEntry.reading(line: node.line) { () throws(LeftOut) in try sender.request(node) }
        )
    }

    private mutating func leaveOut(_ node: ForeignNode) {
        let reason = LeftOut("it is no HTTP request", line: node.line)
        self.entries.append(RequestEntry(line: node.line, result: .failure(reason)))
    }
}
