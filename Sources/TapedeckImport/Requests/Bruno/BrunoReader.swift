import TapedeckCore

/// Reads the items of one collection.
struct BrunoReader {
    private static let maximumDepth = 64

    let file: ImportFile
    private let values: RequestValues
    /// The folder of the collection in an archive, with a slash behind it; empty for files.
    var root = ""
    private(set) var result = ImportedFile()
    private var environments: BrunoEnvironments

    init(_ file: ImportFile, _ values: RequestValues) {
        self.file = file
        self.values = values
        self.environments = BrunoEnvironments([], values, default: nil)
        // Lines are those of many files, whose names are in the reasons.
        self.result.position = .entry
    }

    // MARK: Kinds of collections

    /// Reads the `.bru` files of a folder.
    mutating func readBru(configuration: ForeignNode?) {
        let files = self.files(ending: ".bru", ignoring: configuration?["ignore"])
        var environments: [(name: String, variables: [BrunoField])] = []
        for path in files where Self.isEnvironment(path) {
            guard let bytes = self.side(path), let variables = try? BruReader.environment(bytes) else { continue }
            environments.append((Self.stem(path), variables))
        }
        self.environments = BrunoEnvironments(
            environments,
            self.values,
            default: configuration?["presets"]?["defaultEnvironment"]?.text
        )
        self.readFolders(
            files,
            defaults: "folder.bru",
            collection: "collection.bru",
            scope: BruReader.scope,
            item: BruReader.item
        )
    }

    /// Reads an OpenCollection document, with the YAML files of its folder.
    mutating func readYAML(_ document: ForeignNode, isFolder: Bool) {
        let bruno = document["extensions"]?["bruno"]
        let files = isFolder ? self.files(ending: ".yml", ignoring: bruno?["ignore"]) : []
        var environments = (document["config"]?["environments"]?.items ?? []).map { node in
            (name: node["name"]?.text ?? "", variables: OpenCollection.variables(node["variables"]))
        }
        for path in files where Self.isEnvironment(path) {
            guard let node = BrunoCollection.document(self.side(path)) else { continue }
            environments.append((node["name"]?.text ?? Self.stem(path), OpenCollection.variables(node["variables"])))
        }
        self.environments = BrunoEnvironments(
            environments,
            self.values,
            default: bruno?["presets"]?["defaultEnvironment"]?.text
        )
        let scope = OpenCollection.scope(document)
        self.readItems(
            document["items"]?.items ?? [],
            [scope],
            children: { OpenCollection.kind($0) == "folder" ? $0["items"]?.items ?? [] : nil },
            scope: OpenCollection.scope,
            item: OpenCollection.item
        )
        self.readFolders(
            files,
            defaults: "folder.yml",
            collection: "opencollection.yml",
            scope: { (bytes) throws(LeftOut) in OpenCollection.scope(try Self.node(bytes)) },
            item: { (bytes) throws(LeftOut) in try OpenCollection.item(try Self.node(bytes)) }
        )
    }

    /// Reads a collection that is one JSON file.
    mutating func readExport(_ document: ForeignNode) {
        let environments = (document["environments"]?.items ?? []).map { node in
            (name: node["name"]?.text ?? "", variables: BrunoExport.fields(node["variables"]))
        }
        self.environments = BrunoEnvironments(
            environments,
            self.values,
            default: document["brunoConfig"]?["presets"]?["defaultEnvironment"]?.text
        )
        self.readItems(
            document["items"]?.items ?? [],
            [BrunoExport.scope(document["root"])],
            children: { $0["type"]?.text == "folder" ? $0["items"]?.items ?? [] : nil },
            scope: { BrunoExport.scope($0["root"]) },
            item: BrunoExport.item
        )
    }

    /// Reads the request files of all folders: in a folder in their sequence, then by name.
    private mutating func readFolders(
        _ files: [String],
        defaults: String,
        collection: String,
        scope: ([UInt8]) throws(LeftOut) -> BrunoScope,
        item: ([UInt8]) throws(LeftOut) -> BrunoItem
    ) {
        var scopes: [String: Result<BrunoScope, LeftOut>] = [:]
        for path in files {
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            guard path == collection || path.hasSuffix("/\(defaults)") else { continue }
            scopes[path == collection ? "" : folder] = Self.reading(path) { () throws(LeftOut) in
                try scope(self.side(path) ?? [])
            }
        }
        var folders: [String: [(path: String, item: Result<BrunoItem, LeftOut>)]] = [:]
        for path in files where path != collection && !Self.isEnvironment(path) {
            guard path != defaults, !path.hasSuffix("/\(defaults)") else { continue }
            let folder = path.split(separator: "/").dropLast().joined(separator: "/")
            let read = Self.reading(path) { () throws(LeftOut) in try item(self.side(path) ?? []) }
            folders[folder, default: []].append((path, read))
        }
        for (folder, items) in folders.sorted(by: { $0.key < $1.key }) {
            let names = folder.split(separator: "/").map(String.init)
            let paths = [""] + names.indices.map { names[...$0].joined(separator: "/") }
            let chain = paths.map { scopes[$0] ?? .success(BrunoScope()) }
            for (path, item) in items.sorted(by: { Self.order($0.item, $0.path) < Self.order($1.item, $1.path) }) {
                self.add(item, chain, from: path)
            }
        }
    }

    private static func order(_ item: Result<BrunoItem, LeftOut>, _ path: String) -> (Int, String) {
        guard case .success(let item) = item else { return (Int.max, path) }
        return (item.sequence ?? Int.max, path)
    }

    private static func reading<Read>(
        _ path: String,
        _ read: () throws(LeftOut) -> Read
    ) -> Result<Read, LeftOut> {
        do throws(LeftOut) {
            return .success(try read())
        } catch {
            return .failure(LeftOut("\(path):\(error.line): \(error.reason)", line: 1))
        }
    }

    // MARK: Items

    /// Reads items in lists; `children` returns the items of a folder, and `nil` for another item.
    private mutating func readItems(
        _ items: [ForeignNode],
        _ scopes: [BrunoScope],
        children: (ForeignNode) -> [ForeignNode]?,
        scope: (ForeignNode) -> BrunoScope,
        item: (ForeignNode) throws(LeftOut) -> BrunoItem
    ) {
        guard scopes.count < Self.maximumDepth else { return }
        for node in items {
            if let inner = children(node) {
                self.readItems(inner, scopes + [scope(node)], children: children, scope: scope, item: item)
            } else {
                let read = Self.reading("line \(node.line)") { () throws(LeftOut) in try item(node) }
                self.add(read, scopes.map { .success($0) }, from: nil)
            }
        }
    }

    /// Adds the examples of an item, or its request if it has none.
    ///
    /// - Parameter path: the file of the item; `nil` for one of a list.
    private mutating func add(
        _ item: Result<BrunoItem, LeftOut>,
        _ chain: [Result<BrunoScope, LeftOut>],
        from path: String?
    ) {
        do throws(LeftOut) {
            let item = try item.get()
            guard !["app", "js", "mock", "script", ""].contains(item.kind) else { return }
            var scopes: [BrunoScope] = []
            for scope in chain { scopes.append(try scope.get()) }
            let root = self
            let sender = BrunoSender(
                variables: BrunoVariables(self.environments, scopes + [item.scope]),
                scopes: scopes,
                side: { root.side($0) }
            )
            let place = { (line: Int) in path.map { "\($0):\(line)" } ?? "line \(line)" }
            guard !item.examples.isEmpty else {
                self.add(
                    RequestEntry.reading(line: item.line) { () throws(LeftOut) in try sender.request(item) },
                    place
                )
                return
            }
            for example in item.examples {
                let entry = ForeignEntry.reading(line: item.line) { () throws(LeftOut) in
                    try sender.exchange(try example.get(), of: item)
                }
                self.add(entry, place)
            }
        } catch {
            self.result.requests.append(RequestEntry(line: 1, result: .failure(error)))
        }
    }

    private mutating func add(_ entry: RequestEntry, _ place: (Int) -> String) {
        switch entry.result {
        case .success(var request):
            request.notes = request.notes.map { "\(place(entry.line)): \($0)" }
            self.result.requests.append(RequestEntry(line: 1, result: .success(request)))
        case .failure(let error):
            let named = LeftOut("\(place(error.line)): \(error.reason)", line: 1)
            self.result.requests.append(RequestEntry(line: 1, result: .failure(named)))
        }
    }

    private mutating func add(_ entry: ForeignEntry, _ place: (Int) -> String) {
        switch entry.result {
        case .success(var exchange):
            exchange.notes = exchange.notes.map { "\(place(entry.line)): \($0)" }
            self.result.exchanges.append(ForeignEntry(line: 1, result: .success(exchange)))
        case .failure(let error):
            let named = LeftOut("\(place(error.line)): \(error.reason)", line: 1)
            self.result.exchanges.append(ForeignEntry(line: 1, result: .failure(named)))
        }
    }
}
