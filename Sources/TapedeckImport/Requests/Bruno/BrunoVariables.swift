import TapedeckCore

/// The environments of a collection, of which one gives values to its requests.
struct BrunoEnvironments {
    private(set) var variables: [BrunoField] = []
    /// The names that environments which are not used define.
    private var unused: Set<String> = []
    private let count: Int
    /// Values that nothing in the files changes.
    let given: [String: String]

    /// - Parameters:
    ///   - all: each environment by its name.
    ///   - name: the name of the default one, if the collection has one.
    init(_ all: [(name: String, variables: [BrunoField])], _ values: RequestValues, default name: String?) {
        self.count = all.count
        self.given = values.variables
        let known = all.first { $0.name == values.environment ?? name }
        if let chosen = known ?? (all.count == 1 && values.environment == nil ? all.first : nil) {
            self.variables = chosen.variables
        } else {
            self.unused = Set(all.flatMap { $0.variables.map(\.name) })
        }
    }

    /// The reason for which a variable that no other place defines has no value.
    func missing(_ name: String) -> UnfilledPlaceholder {
        self.unused.contains(name) ? RequestValues.unused(name, of: self.count) : .undefined(name)
    }
}

/// The variables that a request of a collection sees.
struct BrunoVariables {
    private let filler: PlaceholderFiller

    /// - Parameter scopes: those of the collection, the folders from the outside in, and the request.
    init(_ environments: BrunoEnvironments, _ scopes: [BrunoScope]) {
        var values: [String: BrunoField] = [:]
        // Those of the environment override those of the collection, and are overridden by all others.
        let layers =
            [scopes.first?.variables ?? [], environments.variables] + scopes.dropFirst().map(\.variables)
        for field in layers.joined() where field.isEnabled { values[field.name] = field }
        let known = values
        self.filler = PlaceholderFiller(isTrimmed: false) { (name, repeated) throws(UnfilledPlaceholder) in
            if let value = environments.given[name], repeated == 0 { return value }
            if name.hasPrefix("$") { throw .dynamic(name) }
            if name.hasPrefix("?") {
                throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' is asked for when the request is sent")
            }
            if name.hasPrefix("process.env.") {
                throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' is a variable of the environment")
            }
            guard let field = known[name] else { throw environments.missing(name) }
            guard !field.isSecret else {
                throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' is a secret, which the files do not have")
            }
            guard repeated == 0 else { throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' refers to itself") }
            return field.value
        }
    }

    func filled(_ text: String) throws(UnfilledPlaceholder) -> String {
        try self.filler.filled(text)
    }
}
