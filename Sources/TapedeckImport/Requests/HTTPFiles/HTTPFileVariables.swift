import TapedeckCore

/// The variables of a `.http` file: those that it defines, and those of the environment that is chosen or alone.
struct HTTPFileVariables {
    /// The number of folders above that of the file in which its environments may be.
    private static let maximumDepth = 8

    private let filler: PlaceholderFiller

    init(_ blocks: [HTTPFileBlock], _ chosen: RequestValues, side: ImportFile.Sides) {
        var values: [String: Set<String>] = [:]
        for (name, value) in blocks.flatMap(\.variables) { values[name, default: []].insert(value) }
        let names = Set(blocks.compactMap(\.name))
        let environment = Self.environment(side, named: chosen.environment)
        let given = values
        self.filler = PlaceholderFiller { (written, repeated) throws(UnfilledPlaceholder) in
            let isEncoded = written.hasPrefix("%")
            let name = isEncoded ? String(written.dropFirst()) : written
            if let value = chosen.variables[name], repeated == 0 {
                return isEncoded ? RequestURL.component(value) : value
            }
            if name.hasPrefix("$") { throw .dynamic(name) }
            if let values = given[name] {
                guard values.count == 1, repeated == 0, let value = values.first else {
                    throw UnfilledPlaceholder(
                        repeated == 0
                            ? "'{{\(name)}}' has \(values.count) values in this file" : "'{{\(name)}}' refers to itself"
                    )
                }
                return isEncoded ? RequestURL.component(value) : value
            }
            if let value = environment.values[name], repeated == 0 {
                return isEncoded ? RequestURL.component(value) : value
            }
            let first = String(name.prefix { $0 != "." })
            if name.contains(".response.") || name.contains(".request.") || (first != name && names.contains(first)) {
                throw UnfilledPlaceholder("'{{\(name.prefix(80))}}' is taken from another request")
            }
            throw environment.unused.contains(name)
                ? RequestValues.unused(name, of: environment.count) : UnfilledPlaceholder.undefined(name)
        }
    }

    /// Returns the text with the values of variables in their places.
    func filled(_ text: String, line: Int) throws(LeftOut) -> String {
        do throws(UnfilledPlaceholder) {
            return try self.filler.filled(text)
        } catch {
            throw LeftOut(error.reason, line: line)
        }
    }

    /// The variables of the environment for the file, the names in those that are not used, and their count.
    private static func environment(
        _ side: ImportFile.Sides,
        named chosen: String?
    ) -> (values: [String: String], unused: Set<String>, count: Int) {
        var environments = self.environments(side)
        let shared = environments.removeValue(forKey: "$shared") ?? [:]
        let only = environments.count == 1 ? environments.first?.key : nil
        guard let used = (chosen ?? only).flatMap({ environments[$0] }) else {
            return (shared, Set(environments.values.flatMap(\.keys)), environments.count)
        }
        return (shared.merging(used) { $1 }, [], environments.count)
    }

    /// Reads the environments in the nearest folder that has any, from that of the file on upwards.
    private static func environments(_ side: ImportFile.Sides) -> [String: [String: String]] {
        let files = [
            "rest-client.env.json", "rest-client.private.env.json", "http-client.env.json",
            "http-client.private.env.json",
        ]
        var environments: [String: [String: String]] = [:]
        for depth in 0...self.maximumDepth where environments.isEmpty {
            for file in files {
                let path = String(repeating: "../", count: depth) + file
                guard let bytes = side(path), let document = try? ForeignNode.documents(of: bytes).first else {
                    continue
                }
                for pair in document.pairs {
                    guard let name = pair.key.text, pair.value.isMap else { continue }
                    for variable in pair.value.pairs {
                        guard let key = variable.key.text, let value = variable.value.text else { continue }
                        environments[name, default: [:]][key] = value
                    }
                }
            }
        }
        return environments
    }
}
