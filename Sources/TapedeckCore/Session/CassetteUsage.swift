/// How often each response set of a cassette was asked for, and each of its variants played.
package struct CassetteUsage: Sendable, Equatable {
    package struct SetUsage: Sendable, Equatable {
        package var name: String
        /// Methods and URL, which tell a set from another that was given its name since.
        package var request: String
        /// How many requests it answered.
        package var asked: Int
        /// How many answers each variant gave, by its name; only those that gave some. Built-in ones are among them, and a
        /// variant that passes on to another counts beside that one.
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

/// What several sessions, or several runs, asked for, all together.
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
    /// How often each set of the session's cassettes was asked for. Of a session that records, or passes everything on,
    /// only the sets that were: that it did not ask for the others says nothing of them. Cassettes that came with the
    /// session are on no disk, and left out by whoever asks.
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
