import ArgumentParser
import TapedeckCassettes

struct SetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Rename, remove, move or copy response sets of a cassette.",
        subcommands: [Rename.self, Remove.self, Move.self, Copy.self]
    )

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a response set.",
            discussion: "Profiles that name the set follow."
        )

        @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
        @Argument(help: "The response set.", completion: .sets) var set: String
        @Argument(help: "Its new name.") var newName: String
        @OptionGroup var options: EditingOptions

        func run() throws {
            try self.options.edit(self.cassette, [.renameSet(self.set, to: self.newName)])
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove response sets.",
            discussion: "Removes the comment right above each set, its body files, and what profiles choose for it."
        )

        @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
        @Argument(help: "The response sets.", completion: .sets) var sets: [String]
        @OptionGroup var options: EditingOptions

        func run() throws {
            try self.options.edit(self.cassette, [.removeSets(self.sets)])
        }
    }

    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Move response sets to another place, or into another cassette.",
            discussion: """
                Of sets that match a request equally well, the first in the file answers. In another cassette, which is \
                made if there is none, the sets come last; their body files, secrets and choices of profiles go along.
                """
        )

        @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
        @Argument(help: "The response sets, in the order that they are to have.", completion: .sets) var sets: [String]

        @Option(help: ArgumentHelp("Into this cassette.", valueName: "cassette"), completion: .cassettes)
        var to: String?
        @Option(help: ArgumentHelp("In front of this response set.", valueName: "set"), completion: .sets)
        var before: String?
        @Option(help: ArgumentHelp("Behind this response set.", valueName: "set"), completion: .sets) var after: String?
        @Flag(help: "To the start of the cassette.") var first = false
        @Flag(help: "To the end of the cassette.") var last = false
        @OptionGroup var options: EditingOptions

        func validate() throws {
            let given = [self.to != nil, self.before != nil, self.after != nil, self.first, self.last]
            guard given.filter({ $0 }).count == 1 else {
                throw ValidationError("give one of --to, --before, --after, --first and --last")
            }
        }

        func run() throws {
            if let to = self.to {
                return try self.options.carryOut("moving") { store, _ in
                    try store.transfer(
                        self.sets,
                        from: self.options.location(self.cassette),
                        to: self.options.location(to),
                        removing: true
                    )
                }
            }
            var edits: [CassetteEdit] = []
            if let before = self.before {
                edits = self.sets.map { .moveSet($0, to: .before(before)) }
            } else if let after = self.after {
                edits = self.sets.reversed().map { .moveSet($0, to: .after(after)) }
            } else if self.first {
                edits = self.sets.reversed().map { .moveSet($0, to: .first) }
            } else {
                edits = self.sets.map { .moveSet($0, to: .last) }
            }
            try self.options.edit(self.cassette, edits)
        }
    }

    struct Copy: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copy a response set, in the cassette or into another one.",
            discussion: """
                A copy in the same cassette comes behind the set and needs another request before it can answer.
                """
        )

        @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
        @Argument(help: "The response set.", completion: .sets) var set: String

        @Option(name: .customLong("as"), help: ArgumentHelp("The name of the copy.", valueName: "name"))
        var newName: String?
        @Option(help: ArgumentHelp("Into this cassette.", valueName: "cassette"), completion: .cassettes)
        var to: String?
        @OptionGroup var options: EditingOptions

        func validate() throws {
            guard self.newName != nil || self.to != nil else {
                throw ValidationError("give the copy a name with --as, or another cassette with --to")
            }
        }

        func run() throws {
            guard let to = self.to else {
                return try self.options.edit(self.cassette, [.copySet(self.set, as: self.newName ?? self.set)])
            }
            try self.options.carryOut("copying") { store, _ in
                try store.transfer(
                    [self.set],
                    from: self.options.location(self.cassette),
                    to: self.options.location(to),
                    removing: false,
                    as: self.newName
                )
            }
        }
    }
}
