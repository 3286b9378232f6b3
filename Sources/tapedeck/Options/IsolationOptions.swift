import ArgumentParser
import TapedeckDeck

/// When a command runs in a network of its own.
enum Isolation: String, CaseIterable, ExpressibleByArgument {
    /// If the kernel lets it.
    case auto
    case never
    /// Or not at all.
    case always
}

/// The isolation of a command.
struct IsolationOptions: ParsableArguments {
    @Option(DeckOption.isolate) var isolation: Isolation
    @Option(DeckOption.ports) var ports: [Int]

    func validate() throws {
        for port in self.ports where !(1...65_535).contains(port) {
            throw ValidationError("--ports takes numbers from 1 to 65535, and not \(port)")
        }
    }
}

extension DeckOption {
    static let isolate = DeckOption("isolate", value: "when", in: .running)
        .with(
            help: """
                Run the command in a network of its own that leads nowhere but to the deck, so that it needs no proxy \
                setting: always; auto, which uses variables where the kernel refuses; or never.
                """
        )
        .with(default: Isolation.never)

    static let ports = DeckOption("ports", kind: .repeated(.commas), value: "port", in: .running)
        .with(
            help: """
                A port of origins that an isolated command can reach, beside 80, 443 and those on tape; may be repeated.
                """
        )
}

extension IsolationOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [DeckOption.isolate.option, .ports]
}
