import ArgumentParser
import TapedeckCassettes
import TapedeckDeck

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
    @Option(DeckOption.passthrough) var passthrough: [String]
    @Option(DeckOption.block) var block: [String]

    /// - Throws: `DeckError` for an invalid host pattern.
    func apply(to configuration: inout DeckConfiguration) throws {
        configuration.record = try DeckConfiguration.recordSettings(passthrough: self.passthrough, block: self.block)
    }
}

/// Options for requests to this machine.
struct LocalOptions: ParsableArguments {
    @Flag(DeckOption.noLocal) var noLocal: Bool

    func apply(to configuration: inout DeckConfiguration) {
        configuration.passesLocal = !self.noLocal
    }
}

/// The hosts that a replay leaves alone, as a recording does.
struct ReplayHostOptions: CheckedOptions {
    @Option(DeckOption.except) var except: [String]

    @OptionGroup(section: "") var hosts: HostOptions
    @OptionGroup(section: "") var local: LocalOptions

    /// - Throws: `DeckError` for an invalid host pattern.
    func apply(to configuration: inout DeckConfiguration) throws {
        self.local.apply(to: &configuration)
        configuration.record = try DeckConfiguration.recordSettings(
            except: self.except,
            passthrough: self.hosts.passthrough,
            block: self.hosts.block
        )
    }
}

/// The exchanges that are recorded.
struct RecordingOptions: CheckedOptions {
    @Option(DeckOption.only) var only: [String]
    @Option(DeckOption.except) var except: [String]

    @OptionGroup(section: "") var hosts: HostOptions
    @OptionGroup(section: "") var local: LocalOptions

    @Flag(DeckOption.loopback) var loopback: Bool?
    @Option(DeckOption.keepHeaders) var keepHeaders: String?
    @Option(DeckOption.maxBody) var maxBody: String?
    @Option(DeckOption.status) var status: String?
    @Flag(DeckOption.recordFaults) var recordFaults: Bool?
    @Flag(DeckOption.anyBody) var anyBody: Bool
    @Flag(DeckOption.strict) var strict: Bool

    /// - Throws: `DeckError` for a mistake in them.
    func apply(to configuration: inout DeckConfiguration) throws {
        self.local.apply(to: &configuration)
        configuration.isStrict = self.strict
        configuration.answersAnyBody = self.anyBody
        configuration.record = try DeckConfiguration.recordSettings(
            only: self.only,
            except: self.except,
            passthrough: self.hosts.passthrough,
            block: self.hosts.block,
            recordsLoopback: self.loopback,
            keepHeaders: self.keepHeaders,
            maxBody: self.maxBody,
            statuses: self.status,
            recordsFaults: self.recordFaults
        )
    }
}

/// The effect of a recording on the cassette.
struct ScenarioOptions: CheckedOptions {
    @Option(DeckOption.variant) var variant: String?
    @Flag(DeckOption.clean) var clean: Bool

    /// - Throws: `DeckError` for a text that cannot be the name of a variant.
    func apply(to configuration: inout DeckConfiguration) throws {
        configuration.recordingVariant = try DeckConfiguration.recordingVariant(self.variant)
        configuration.cleans = self.clean
    }
}

extension ScenarioOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [.variant, .clean]
}

extension DeckOption {
    static let variant = DeckOption("variant", value: "name", in: CommandSet(["record"]), place: .nowhere)
        .with(
            help: """
                Save the answers as this variant of the response sets, with a profile of that name; nothing else on tape \
                changes.
                """
        )

    static let clean = DeckOption("clean", kind: .flag, in: CommandSet(["record"]), place: .nowhere)
        .with(
            help: """
                Remove the recorded response sets that the command does not request, if it succeeds; those with variants of \
                your own stay.
                """
        )

    static let only = DeckOption(
        "only",
        kind: .repeated(.lines),
        value: "host",
        in: .recording,
        place: .section("record.only", addsUp: false)
    )
    .with(
        help: """
            Record only this host and pass others through: api.example.com, *.example.com, localhost:8080, \
            10.0.0.0/8 or /regex/; may be repeated.
            """
    )

    static let except = DeckOption(
        "except",
        kind: .repeated(.lines),
        value: "host",
        in: .recording.union(.playing),
        place: .section("record.except", addsUp: true)
    )
    .with(help: "Do not record this host: requests to it that nothing on tape answers pass through; may be repeated.")

    static let passthrough = DeckOption(
        "passthrough",
        kind: .repeated(.lines),
        value: "host",
        in: .running,
        place: .section("record.passthrough", addsUp: true)
    )
    .with(help: "Pass this host through: it is not recorded, and its TLS is not intercepted; may be repeated.")

    static let block = DeckOption(
        "block",
        kind: .repeated(.lines),
        value: "host",
        in: .running,
        place: .section("record.block", addsUp: true)
    )
    .with(help: "Answer requests to this host with 403 and never forward them; may be repeated.")

    static let loopback = DeckOption(
        "loopback",
        kind: .switchable,
        in: .recording,
        place: .section("record.loopback", addsUp: false)
    )
    .with(help: "Record requests to this machine, too (localhost, 127.0.0.0/8, ::1).")

    static let noLocal = DeckOption("no-local", kind: .flag, in: .recording.union(.playing))
        .with(
            help: """
                Refuse requests to this machine (localhost, 127.0.0.0/8, ::1) that are neither on tape nor recorded: \
                `replay` answers 501, the others 403.
                """
        )

    static let keepHeaders = DeckOption(
        "keep-headers",
        value: "name,name",
        default: "the usual ones",
        in: .recording,
        place: .section("record.keepHeaders", addsUp: false)
    )
    .with(help: "Header fields of requests to note in addition to the usual ones; `*` notes all, `none` none.")

    static let maxBody = DeckOption(
        "max-body",
        value: "size",
        in: .recording,
        place: .section("record.maxBody", addsUp: false)
    )
    .with(help: "Do not record responses with a larger body, such as 512k or 10m.")

    static let status = DeckOption(
        "status",
        value: "statuses",
        default: "all",
        in: .recording,
        place: .section("record.statuses", addsUp: false)
    )
    .with(help: "Record only responses with these statuses, such as 200,2xx,300-399.")

    static let recordFaults = DeckOption(
        "record-faults",
        kind: .switchable,
        default: "beside answers to the same request",
        in: .recording,
        place: .section("record.faults", addsUp: false)
    )
    .with(
        help: """
            Record requests that get no answer as faults, even where the tape has an answer, or none; with `no`, record \
            no faults and no statuses of 500 and above.
            """
    )

    static let anyBody = DeckOption("any-body", kind: .flag, in: .recording)
        .with(
            help: """
                Record answers that play for any request body, except where bodies of one method and URL differ; \
                otherwise an answer plays only for the body that it was recorded with.
                """
        )

    static let strict = DeckOption("strict", kind: .flag, in: .recording)
        .with(
            help: """
                Write nothing to the cassette (exit code 65) if the recording holds words that look like secrets and \
                that no rule knows.
                """
        )
}

extension RecordingOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [
        .only, .except, .passthrough, .block, .loopback, .noLocal, .keepHeaders, .maxBody, .status, .recordFaults,
        .anyBody, .strict,
    ]
}
