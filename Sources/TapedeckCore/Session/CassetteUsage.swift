/// The number of requests for each response set of a cassette, and of answers by each of its variants.
package struct CassetteUsage: Sendable, Equatable {
    package struct SetUsage: Sendable, Equatable {
        package var name: String
        /// Methods and URL, which tell a set from another that was given its name since.
        package var request: String
        /// The number of requests.
        package var asked: Int
        /// The number of answers of each variant, by its name; only variants that played. Built-in ones are included,
        /// and a variant that plays another counts together with that one.
        package var variants: [String: Int]

        package init(name: String, request: String, asked: Int, variants: [String: Int] = [:]) {
            self.name = name
            self.request = request
            self.asked = asked
            self.variants = variants
        }
    }

    /// The cassette's file.
    package var path: String
    /// In the order of the file.
    package var sets: [SetUsage]

    package init(path: String, sets: [SetUsage]) {
        self.path = path
        self.sets = sets
    }
}

/// The total usage of several sessions, or several runs.
package struct UsageTally: Sendable {
    private struct Key: Hashable {
        var path: String
        var name: String
        var request: String
    }

    /// In the order in which they came.
    package private(set) var cassettes: [CassetteUsage] = []
    private var places: [String: Int] = [:]
    private var setPlaces: [Key: Int] = [:]

    package init() {}

    package mutating func add(_ usages: [CassetteUsage]) {
        for usage in usages {
            let place = self.place(of: usage.path)
            for set in usage.sets {
                let key = Key(path: usage.path, name: set.name, request: set.request)
                if let known = self.setPlaces[key] {
                    self.cassettes[place].sets[known].asked += set.asked
                    self.cassettes[place].sets[known].variants.merge(set.variants, uniquingKeysWith: +)
                } else {
                    self.setPlaces[key] = self.cassettes[place].sets.count
                    self.cassettes[place].sets.append(set)
                }
            }
        }
    }

    private mutating func place(of path: String) -> Int {
        if let known = self.places[path] { return known }
        self.places[path] = self.cassettes.count
        self.cassettes.append(CassetteUsage(path: path, sets: []))
        return self.cassettes.count - 1
    }
}

extension SessionState {
    /// The number of requests for each set of the session's cassettes. For a session that records, or passes everything
    /// on, only sets with requests are listed, because the others prove nothing. Callers leave out cassettes that were
    /// sent with the session.
    package var usage: [CassetteUsage] {
        let tape = self.tape
        var usages = tape.cassettes.map { CassetteUsage(path: $0.path ?? "", sets: []) }
        for (number, entry) in tape.entries.enumerated() {
            let asked = self.hits.cassettes[number]
            guard self.mode.plays || asked > 0 else { continue }
            usages[entry.cassette].sets.append(
                CassetteUsage.SetUsage(
                    name: entry.set.name,
                    request: entry.set.request.line,
                    asked: asked,
                    variants: self.variantCounts.counts(of: entry.set, number: number, asked: asked)
                )
            )
        }
        return usages.filter { !$0.path.isEmpty && !$0.sets.isEmpty }
    }
}
