import ArgumentParser
import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckDeck
import TapedeckMaintenance
import TapedeckPlatform

struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Edit an answer in your editor: status, header fields, body.",
        discussion: """
            Opens the answer in VISUAL, EDITOR or vi and writes it into the cassette once it has no errors. Everything \
            else in the file stays. A later recording replaces an edited recording; copy the variant first to keep \
            both.
            """
    )

    @Argument(help: "The cassette: a name or a path.", completion: .cassettes) var cassette: String
    @Argument(help: "The response set.", completion: .sets) var set: String
    @Argument(help: "The variant (default: the set's default).", completion: .variants) var variant: String?
    @Option(help: ArgumentHelp("The take, from 1.", valueName: "number")) var take = 1
    @Flag(help: "Print the answer, and open no editor.") var print = false
    @Option(
        help: ArgumentHelp("Read the edited answer from this file, - for standard input.", valueName: "file")
    )
    var from: String?
    @OptionGroup var options: EditingOptions

    func validate() throws {
        guard !self.print || self.from == nil else { throw ValidationError("--print and --from exclude each other") }
    }

    func run() throws {
        let location = self.options.location(self.cassette)
        var answer: Answer?
        try ExitStatus.reporting { answer = try self.answer(location) }
        guard let answer else { return }
        let take = answer.take
        var text: [UInt8] = []
        try ExitStatus.reporting {
            do {
                text = try AnswerText.text(of: take)
            } catch {
                throw DeckError("\(location.path): \(answer.variant) of \(self.set): \(error)", kind: .badOption)
            }
        }
        if self.print {
            let end = text.last == ASCII.lineFeed ? text.count - 1 : text.count
            Terminal.print(String(decoding: text[..<end], as: UTF8.self))
            guard !AnswerText.hasTextBody(take) else { return }
            Terminal.note("its body is \(Plural.text(take.body.decodedSize, "byte", "bytes")) that are no text")
        } else if let from = self.from {
            let edited = try self.read(from == "-" ? "/dev/stdin" : from)
            try ExitStatus.reporting { try self.save(edited, answer) }
        } else {
            try self.open(text, answer)
        }
    }

    /// A take, and the variant that it is in.
    private struct Answer {
        var location: CassetteLocation
        var take: Take
        var variant: String
        /// True if the variant is a template.
        var isTemplate: Bool
    }

    private func answer(_ location: CassetteLocation) throws -> Answer {
        do {
            let store = CassetteStore.onDisk
            let cassette = try self.print ? store.load(location) : store.edited(location).cassette
            let set = cassette.responseSets[try cassette.index(ofSet: self.set)]
            let variant = self.variant ?? set.variants[set.defaultVariant].name
            let place = try cassette.place(ofTake: self.take, variant: variant, set: self.set)
            let played = cassette.responseSets[place.set].variants[place.variant]
            return Answer(
                location: location,
                take: played.takes[self.take - 1],
                variant: variant,
                isTemplate: played.behaviour.isTemplate
            )
        } catch let error as CassetteEdit.Invalid {
            throw DeckError("\(location.path): \(error)", kind: .badOption)
        } catch {
            throw DeckError(error)
        }
    }

    private func read(_ path: String) throws -> [UInt8] {
        var content: [UInt8] = []
        try ExitStatus.reporting {
            do {
                content = try FileContents.read(path)
            } catch {
                throw DeckError(error, kind: .badOption)
            }
        }
        return content
    }

    /// Writes the edited answer.
    ///
    /// - Throws: `DeckError` if the text is not an answer, if the cassette would have errors, or if the answer on tape is
    ///   another one by now.
    private func save(_ text: [UInt8], _ old: Answer) throws {
        guard try self.answer(old.location).take == old.take else {
            let problem = "\(self.set) has another answer than the one that was opened; nothing was written"
            throw DeckError("\(old.location.path): \(problem)", kind: .unusableCassette)
        }
        do {
            let take = try AnswerText.take(old.take, edited: text, isTemplate: old.isTemplate)
            try self.options.edit(
                self.cassette,
                [.changeTake(self.take, of: self.set, variant: old.variant, to: take)]
            )
        } catch let error as AnswerText.Invalid {
            throw DeckError(error.description, kind: .unusableCassette)
        }
    }

    /// Opens the editor until the text is an answer, or the person gives up.
    private func open(_ text: [UInt8], _ old: Answer) throws {
        let folder = ProcessEnvironment.temporaryFolder("tapedeck-edit")
        let path = FilePath.join(folder, "answer.http")
        try ExitStatus.reporting {
            do {
                try FileContents.makeFolder(folder, mode: 0o700)
                try FileContents.replace(path, with: text, waitsForDisk: false)
            } catch {
                throw DeckError(error, kind: .notSaved)
            }
        }
        let editor = ProcessEnvironment.value("VISUAL") ?? ProcessEnvironment.value("EDITOR") ?? "vi"
        while true {
            // The variable may have arguments, too.
            // The shell outlives a Ctrl-C that its editor handles.
            let command = ["/bin/sh", "-c", "trap : INT; \(editor) \"$1\"", "sh", path]
            let status = Signals.leavingInterruptToChild {
                (try? ChildProcess(command, environment: ProcessEnvironment.variables))?.wait()
            }
            guard status == 0 else {
                FileContents.removeFolder(folder)
                Terminal.note("`\(editor)` ended with an error; nothing was changed", .error)
                throw ExitStatus.badOption
            }
            let edited = try self.read(path)
            guard edited != text else {
                FileContents.removeFolder(folder)
                Terminal.note("nothing to change")
                return
            }
            do {
                try ExitStatus.reporting { try self.save(edited, old) }
                FileContents.removeFolder(folder)
                return
            } catch {
                guard Confirmation.canAsk, Confirmation.ask("edit again?") else {
                    Terminal.note("nothing was changed; your text is \(path), which --from takes")
                    throw error
                }
            }
        }
    }
}
