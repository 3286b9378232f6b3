import ArgumentParser
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckDeck

struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Create, list and end sessions of a running deck.",
        subcommands: [Create.self, List.self, End.self]
    )

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a session, and print its id.",
            discussion: """
                Prints on standard error how to send requests to the session. Without a cassette, the session plays \
                those of requests without a session. A session in which nothing happens for a while ends by itself.
                """
        )

        @Argument(
            help: "The cassettes: names in the deck's folder. The first one is recorded into.",
            completion: .cassettes
        )
        var cassettes: [String] = []

        @Option(help: "The name, with which its id begins.")
        var name: String?

        @Option(help: "replay, record, append or passthrough (default: replay).")
        var mode: String?

        @OptionGroup var selection: SelectionOptions

        @Option(help: ArgumentHelp("What random choices follow from.", valueName: "number"))
        var seed: UInt64?

        @Option(DeckOption.streams) var streams: String?

        @Option(
            help: ArgumentHelp(
                """
                What happens to requests that nothing on tape answers: fail (501), respond=STATUS, and with the mode \
                append also passthrough or record.
                """,
                valueName: "policy"
            )
        )
        var unmatched: String?

        @Option(help: "A port of its own, for clients that cannot name a session; 0 takes a free one.")
        var port: Int?

        @Option(
            help: ArgumentHelp("With --port: the origin of requests that name none of their own.", valueName: "origin")
        )
        var reverse: String?

        @Flag(help: "Print the session's key, ID:TOKEN, in place of its id: all that a client needs.")
        var key = false

        @OptionGroup var output: OutputOptions
        @OptionGroup var control: ControlOptions

        func validate() throws {
            if let port = self.port, !(0...65_535).contains(port) {
                throw ValidationError("--port takes a number from 0 to 65535")
            }
            if self.reverse != nil, self.port == nil {
                throw ValidationError("--reverse is for a port of the session's own: give --port, too")
            }
        }

        func run() throws {
            try ExitStatus.reporting {
                let client = try self.control.client()
                let session = try client.createSession(try self.request(client))
                try self.output.print(session, or: self.key ? "\(session.id):\(session.token ?? "")" : session.id)
                for line in SessionGuide(session, of: try client.deck()).lines { Terminal.note(line) }
            }
        }

        private func request(_ client: ControlClient) throws -> SessionRequest {
            var request = SessionRequest()
            request.name = self.name
            request.cassettes = self.cassettes.isEmpty ? nil : self.cassettes
            request.mode = self.mode
            request.seed = self.seed
            request.streams = self.streams
            request.port = self.port
            request.reverse = self.reverse
            let names = SessionNames(client, cassettes: self.cassettes)
            let choices = try self.selection.selections.map(names.choice)
            if !choices.isEmpty {
                request.selections = Dictionary(choices.map { ($0.set, $0.variant) }) { _, last in last }
            }
            if !self.selection.profiles.isEmpty { request.profiles = try self.selection.profiles.map(names.profile) }
            let state = try self.selection.state.map(SelectionText.state)
            if !state.isEmpty { request.state = Dictionary(state.map { ($0.key, $0.value) }) { _, last in last } }
            request.unmatched = try self.unmatched.map { text in
                let option = try UnmatchedOption(text)
                return UnmatchedModel(policy: option.name, status: option.status)
            }
            return request
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the current sessions."
        )

        @OptionGroup var output: OutputOptions
        @OptionGroup var control: ControlOptions

        func run() throws {
            try ExitStatus.reporting {
                let sessions = try self.control.client().sessions()
                let list = SessionList(sessions: sessions, total: sessions.count)
                try self.output.print(list, table: Self.rows(sessions))
            }
        }

        private static func rows(_ sessions: [SessionModel]) -> [[String]] {
            let rows = sessions.map { session in
                [
                    session.id, session.mode, session.cassettes.joined(separator: " "), String(session.requests),
                    String(session.unmatchedRequests), "\(session.idleSeconds)s",
                ]
            }
            return [["SESSION", "MODE", "CASSETTES", "REQUESTS", "UNMATCHED", "IDLE"]] + rows
        }
    }

    struct End: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end",
            abstract: "End a session, and print its report.",
            discussion: """
                A recording of it is saved. The exit code is 70 when requests were unmatched, 69 when the recording got \
                nothing but failures and the cassette keeps its answers, 74 when it could not be saved.
                """
        )

        @Argument(help: "The session.", completion: .sessions)
        var id: String

        @OptionGroup var output: OutputOptions
        @OptionGroup var control: ControlOptions

        func run() throws {
            try ExitStatus.reporting {
                let report = try self.control.client().session(String(self.id.prefix { $0 != ":" })).end()
                try self.output.print(report, or: ReportText(report).text)
                if report.saveFailure != nil || report.saved?.failure != nil { throw ExitStatus.notSaved }
                if report.saved?.isAllFailed == true { throw ExitStatus.cannotStart }
                if report.unmatchedRequests > 0 { throw ExitStatus.unmatched }
            }
        }
    }
}
