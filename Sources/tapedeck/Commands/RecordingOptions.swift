import ArgumentParser
import TapedeckServer

/// Options that become settings of a recording, and are checked when they are parsed by making them so.
protocol CheckedOptions: ParsableArguments {
    /// - Throws: `DeckError` for a value that is not valid.
    func apply(to configuration: inout DeckConfiguration) throws
}

extension CheckedOptions {
    func validate() throws {
        var configuration = DeckConfiguration.passthrough()
        do {
            try self.apply(to: &configuration)
        } catch let error as DeckError {
            throw ValidationError(error.description)
        }
    }
}

/// The hosts that every mode leaves alone.
struct HostOptions: CheckedOptions {
    @Option(
        help: ArgumentHelp(
            "Leave this host alone: it is not recorded, and its TLS is not intercepted; may be repeated.",
            valueName: "host"
        )
    )
    var passthrough: [String] = []

    @Option(
        help: ArgumentHelp(
            "Answer requests to this host with 403 and never ask it; may be repeated.",
            valueName: "host"
        )
    )
    var block: [String] = []

    /// - Throws: `DeckError` for what is no pattern of hosts.
    func apply(to configuration: inout DeckConfiguration) throws {
        configuration.record = try DeckConfiguration.recordSettings(passthrough: self.passthrough, block: self.block)
    }
}

/// Options for requests to this machine.
struct LocalOptions: ParsableArguments {
    @Flag(
        help: """
            Let no request pass to this machine (localhost, 127.0.0.0/8, ::1) that is neither on tape nor recorded: \
            `replay` answers 501, the others 403.
            """
    )
    var noLocal = false

    func apply(to configuration: inout DeckConfiguration) {
        configuration.passesLocal = !self.noLocal
    }
}

/// The hosts that a replay leaves alone, as a recording does.
struct ReplayHostOptions: CheckedOptions {
    @Option(
        help: ArgumentHelp(
            "Pass this host through where nothing on tape answers, instead of a 501; may be repeated.",
            valueName: "host"
        )
    )
    var except: [String] = []

    @OptionGroup var hosts: HostOptions
    @OptionGroup var local: LocalOptions

    /// - Throws: `DeckError` for what is no pattern of hosts.
    func apply(to configuration: inout DeckConfiguration) throws {
        self.local.apply(to: &configuration)
        configuration.record = try DeckConfiguration.recordSettings(
            except: self.except,
            passthrough: self.hosts.passthrough,
            block: self.hosts.block
        )
    }
}

/// What is recorded.
struct RecordingOptions: CheckedOptions {
    @Option(
        help: ArgumentHelp(
            """
            Record only this host and pass others through: api.example.com, *.example.com, localhost:8080, 10.0.0.0/8 or \
            /regex/; may be repeated.
            """,
            valueName: "host"
        )
    )
    var only: [String] = []

    @Option(help: ArgumentHelp("Pass this host through instead of recording it; may be repeated.", valueName: "host"))
    var except: [String] = []

    @OptionGroup var hosts: HostOptions
    @OptionGroup var local: LocalOptions

    @Flag(inversion: .prefixedNo, help: "Record what is on this machine, too (localhost, 127.0.0.0/8, ::1).")
    var loopback: Bool?

    @Option(
        help: ArgumentHelp(
            "Header fields of requests to note beside the usual ones; `*` notes all, `none` none.",
            valueName: "name,name"
        )
    )
    var keepHeaders: String?

    @Option(
        help: ArgumentHelp("Do not record responses whose body is larger, such as 512k or 10m.", valueName: "size")
    )
    var maxBody: String?

    @Option(
        help: ArgumentHelp("Record only responses with these statuses, such as 200,2xx,300-399.", valueName: "statuses")
    )
    var status: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Record failures too where the tape has an answer; with `no`, record none, nor statuses of 500 and above.",
            discussion: "By default failures are recorded where they replace no answer."
        )
    )
    var recordFailures: Bool?

    @Flag(
        help: """
            Write nothing to the cassette (exit code 65) where what was recorded holds words that look like secrets and \
            that no rule knows.
            """
    )
    var strict = false

    /// - Throws: `DeckError` for what is written wrong.
    func apply(to configuration: inout DeckConfiguration) throws {
        self.local.apply(to: &configuration)
        configuration.isStrict = self.strict
        configuration.record = try DeckConfiguration.recordSettings(
            only: self.only,
            except: self.except,
            passthrough: self.hosts.passthrough,
            block: self.hosts.block,
            recordsLoopback: self.loopback,
            keepHeaders: self.keepHeaders,
            maxBody: self.maxBody,
            statuses: self.status,
            recordsFailures: self.recordFailures
        )
    }
}
