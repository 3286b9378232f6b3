import ArgumentParser
import TapedeckCassettes

struct VariantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "variant",
        abstract: "Rename, remove or copy variants of a response set, or choose its default.",
        subcommands: [Rename.self, Remove.self, Copy.self, Default.self]
    )

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a variant.",
            discussion: "`selected`, profiles and other variants that name it follow."
        )

        @OptionGroup var place: VariantPlace
        @Argument(help: "Its new name.") var newName: String
        @OptionGroup var options: EditingOptions

        func run() throws {
            try self.options.edit(
                self.place.cassette,
                [.renameVariant(self.place.variant, of: self.place.set, to: self.newName)]
            )
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove variants of a response set.",
            discussion: "Removes what profiles choose of it, too. A variant that another one plays stays."
        )

        @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
        @Argument(help: "The response set.", completion: .sets) var set: String
        @Argument(help: "The variants.", completion: .variants) var variants: [String]
        @OptionGroup var options: EditingOptions

        func run() throws {
            try self.options.edit(self.cassette, self.variants.map { .removeVariant($0, of: self.set) })
        }
    }

    struct Copy: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copy a variant, after itself.",
            discussion: "A recording that is made again replaces the first of the two and keeps the copy."
        )

        @OptionGroup var place: VariantPlace
        @Argument(help: "The name of the copy.") var newName: String
        @OptionGroup var options: EditingOptions

        func run() throws {
            try self.options.edit(
                self.place.cassette,
                [.copyVariant(self.place.variant, of: self.place.set, as: self.newName)]
            )
        }
    }

    struct Default: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "default",
            abstract: "Choose the variant that plays unless another is selected.",
            discussion: "Writes `selected:` into the response set, or removes it for the first variant."
        )

        @OptionGroup var place: VariantPlace
        @OptionGroup var options: EditingOptions

        func run() throws {
            try self.options.edit(self.place.cassette, [.makeDefault(self.place.variant, of: self.place.set)])
        }
    }
}

/// The variant that a command is about.
struct VariantPlace: ParsableArguments {
    @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
    @Argument(help: "The response set.", completion: .sets) var set: String
    @Argument(help: "The variant.", completion: .variants) var variant: String
}

struct TakeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "take",
        abstract: "Remove takes of a variant.",
        subcommands: [Remove.self]
    )

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove takes of a variant.")

        @OptionGroup var place: VariantPlace
        @Argument(help: "The numbers of the takes, from 1.") var numbers: [Int]
        @OptionGroup var options: EditingOptions

        func run() throws {
            // From the last on, so that the others keep their numbers.
            let numbers = Set(self.numbers).sorted(by: >)
            let (set, variant) = (self.place.set, self.place.variant)
            try self.options.edit(self.place.cassette, numbers.map { .removeTake($0, of: set, variant: variant) })
        }
    }
}
