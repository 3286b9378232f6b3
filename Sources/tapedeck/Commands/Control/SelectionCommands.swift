import ArgumentParser
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckCore
import TapedeckDeck

struct Select: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Select variants in a running session.",
        discussion: "`tapedeck sets` lists the variants; `tapedeck reset` undoes a selection."
    )

    @Argument(
        help: ArgumentHelp("A response set and the variant to play.", valueName: "set=variant"),
        completion: .playingSelections
    )
    var choices: [String]

    @OptionGroup var options: SessionOptions

    func run() throws {
        try ExitStatus.reporting {
            let session = try self.options.session()
            let names = SessionNames(session)
            // Nothing is selected if one of them is invalid.
            let choices = try self.choices.map(names.choice)
            for choice in choices { try session.select(choice.variant, of: choice.set) }
        }
    }
}

struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Undo selections and restart takes.",
        discussion: """
            Without a response set: all selections and profiles, the positions in all takes, and the session's state.
            """
    )

    @Argument(help: ArgumentHelp("The response sets.", valueName: "set"), completion: .playingSets)
    var sets: [String] = []

    @OptionGroup var options: SessionOptions

    func run() throws {
        try ExitStatus.reporting {
            let session = try self.options.session()
            if self.sets.isEmpty { try session.reset() }
            for set in self.sets { try session.deselect(set) }
        }
    }
}

struct Sets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sets",
        abstract:
            "Show the response sets of a running session: variants, which one plays (*), number of requests."
    )

    @Option(help: ArgumentHelp("Only sets whose name or request contains this.", valueName: "text"))
    var search: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var options: SessionOptions

    func run() throws {
        try ExitStatus.reporting {
            let sets = try self.options.session().sets(search: self.search)
            let labels = SetLabels(
                sets.map { ($0.name, $0.request) },
                sharesOrigin: Terminal.isInteractive(.output)
            )
            if !self.output.json, let origin = labels.origin { Terminal.show("all: \(origin)\n") }
            try self.output.print(SetList(sets: sets, total: sets.count), table: Self.rows(sets, labels))
        }
    }

    private static func rows(_ sets: [SetModel], _ labels: SetLabels) -> [[String]] {
        var rows = [["RESPONSE SET", "REQUEST", "VARIANT", "ANSWER", "ASKED"]]
        for (number, set) in sets.enumerated() {
            // Those that every set has are of interest where one plays.
            let variants = set.variants.filter { !$0.isBuiltIn || $0.name == set.playing }
            let conditions = set.conditions.isEmpty ? "" : "+ " + set.conditions.joined(separator: ", ")
            let request = [labels.request(number), conditions].filter { !$0.isEmpty }.joined(separator: " ")
            for (index, variant) in variants.enumerated() {
                let plays = variant.name == set.playing
                let wrappers = plays && !set.wrappers.isEmpty ? " (\(set.wrappers.joined(separator: ", ")))" : ""
                rows.append([
                    index == 0 ? labels.name(number) : "",
                    index == 0 ? request : "",
                    (plays ? "* " : "  ") + variant.name + wrappers,
                    variant.summary,
                    index == 0 ? String(set.asked) : "",
                ])
            }
        }
        return rows
    }
}

struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Apply, revert and list profiles of a running session.",
        subcommands: [Apply.self, Revert.self, List.self]
    )

    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Apply a profile on top of those in force."
        )

        @Argument(help: "The profile.")
        var name: String

        @Option(
            help: ArgumentHelp("Only for this response set or origin; may be repeated.", valueName: "target")
        )
        var only: [String] = []

        @OptionGroup var options: SessionOptions

        func run() throws {
            try ExitStatus.reporting { try self.options.session().apply(profile: self.name, only: self.only) }
        }
    }

    struct Revert: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "revert", abstract: "Revert a profile.")

        @Argument(help: "The profile.")
        var name: String

        @OptionGroup var options: SessionOptions

        func run() throws {
            try ExitStatus.reporting { try self.options.session().revert(profile: self.name) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the profiles, and which are applied (*)."
        )

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: SessionOptions

        func run() throws {
            try ExitStatus.reporting {
                let profiles = try self.options.session().profiles()
                let lines = profiles.map { profile in
                    let limits = profile.only.map { " (only \($0.joined(separator: ", ")))" } ?? ""
                    return (profile.isApplied ? "* " : "  ") + profile.name + limits
                }
                try self.output.print(ProfileList(profiles: profiles), or: lines.joined(separator: "\n"))
            }
        }
    }
}

struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show or change the state of a running session.",
        discussion: "Without arguments, prints it."
    )

    @Argument(help: ArgumentHelp("The entries to set; KEY= removes the key.", valueName: "key=value"))
    var changes: [String] = []

    @OptionGroup var output: OutputOptions
    @OptionGroup var options: SessionOptions

    func run() throws {
        try ExitStatus.reporting {
            let session = try self.options.session()
            guard self.changes.isEmpty else {
                let changes = try self.changes.map(SelectionText.state)
                let values = changes.map { ($0.key, $0.value.isEmpty ? nil : $0.value) }
                try session.set(Dictionary(values) { _, last in last })
                return
            }
            let state = try session.state()
            let lines = state.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            if self.output.json || !lines.isEmpty {
                try self.output.print(StateModel(state: state), or: lines.joined(separator: "\n"))
            }
        }
    }
}
