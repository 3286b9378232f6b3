import ArgumentParser
import TapedeckControlAPI
import TapedeckControlClient

struct RecordingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recording",
        abstract: "Start and stop recording in a running session, or save its answers.",
        subcommands: [Start.self, Stop.self, Keep.self, Snapshot.self]
    )

    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start recording into a cassette.",
            discussion: "Secrets are replaced by placeholders before anything is written."
        )

        @Argument(help: "The cassette: a name in the deck's folder.", completion: .cassettes)
        var cassette: String

        @Option(
            help: """
                append (the default) plays what is taped and records what is missing; record replaces recorded takes.
                """
        )
        var mode: String?

        @Option(
            help: ArgumentHelp(
                """
                Save the answers as this variant of the response sets, with a profile of that name; the mode is record.
                """,
                valueName: "name"
            )
        )
        var variant: String?

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: SessionOptions

        func run() throws {
            try ExitStatus.reporting {
                let recording = try self.options.session().startRecording(
                    into: self.cassette,
                    mode: self.mode,
                    variant: self.variant
                )
                if self.output.json { Terminal.print(try ControlJSON.text(recording)) }
            }
        }
    }

    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop",
            abstract: "Stop recording and write the cassette.",
            discussion: """
                The exit code is 69 when nothing but failures came and the cassette keeps its answers, 74 when the recording \
                stopped early.
                """
        )

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: SessionOptions

        func run() throws {
            try ExitStatus.reporting {
                let recording = try self.options.session().stopRecording()
                try self.output.print(recording, or: RecordingText(recording).lines.joined(separator: "\n"))
                if recording.failure != nil { throw ExitStatus.notSaved }
                if recording.isAllFailed == true { throw ExitStatus.cannotStart }
            }
        }
    }

    struct Keep: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keep",
            abstract: "Save answers that the session gave as a variant.",
            discussion: """
                The variant goes into the response set that answers the request, or into a new one; a profile of the \
                variant's name selects it. A variant of that name that was recorded before is replaced.
                """
        )

        @Argument(help: "The numbers of the requests, as `tapedeck journal` shows them.")
        var requests: [Int] = []

        @Option(help: ArgumentHelp("The name of the variant.", valueName: "name"))
        var variant: String

        @Option(
            help: ArgumentHelp(
                "Only requests that match this: the `request` of a response set, as JSON.",
                valueName: "json"
            )
        )
        var matching: String?

        @Option(help: "The cassette to save in (default: the one that played the answers, else the session's first).")
        var cassette: String?

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: SessionOptions

        func validate() throws {
            guard !self.requests.isEmpty || self.matching != nil else {
                throw ValidationError("name the requests to keep by their numbers, or give --matching")
            }
        }

        func run() throws {
            try ExitStatus.reporting {
                let recording = try self.options.session().keep(
                    self.requests.isEmpty ? nil : self.requests,
                    matching: self.matching,
                    as: self.variant,
                    in: self.cassette
                )
                try self.output.print(recording, or: RecordingText(recording).lines.joined(separator: "\n"))
            }
        }
    }

    struct Snapshot: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "snapshot",
            abstract: "Record what the session has passed through so far into a cassette."
        )

        @Argument(help: "The cassette: a name in the deck's folder.", completion: .cassettes)
        var cassette: String

        @Option(
            help: ArgumentHelp(
                "Only requests that match this: the `request` of a response set, as JSON.",
                valueName: "json"
            )
        )
        var matching: String?

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: SessionOptions

        func run() throws {
            try ExitStatus.reporting {
                let recording = try self.options.session().snapshot(into: self.cassette, matching: self.matching)
                try self.output.print(recording, or: RecordingText(recording).lines.joined(separator: "\n"))
            }
        }
    }
}

/// The result of a recording, for a terminal.
struct RecordingText {
    let lines: [String]

    init(_ recording: RecordingModel) {
        let count = recording.exchanges ?? 0
        let exchanges = ReportText.count(count, "exchange")
        let headline =
            switch (count, recording.changed) {
            case (0, _): "nothing was recorded, so \(recording.cassette) is as it was"
            case (_, false): "\(exchanges) recorded; \(recording.cassette) is unchanged"
            default: "wrote \(exchanges) into \(recording.cassette)"
            }
        let effect = Array(recording.lines?.dropFirst() ?? [])
        let problems = (recording.problems ?? []).filter { !effect.contains($0) }
        self.lines = [headline] + (recording.failure.map { [$0] } ?? []) + problems + effect
    }
}
