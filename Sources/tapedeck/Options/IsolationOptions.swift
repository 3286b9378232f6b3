import ArgumentParser
import TapedeckDeck

/// When a command runs in a network of its own.
enum Isolation: String, CaseIterable, ExpressibleByArgument {
    /// If the kernel lets it.
    case auto
    case never
    /// Or not at all.
    case always

    /// True if this system has a way to isolate a command: the namespaces of Linux.
    static var isAvailable: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }
}

/// The isolation of a command.
struct IsolationOptions: ParsableArguments {
    @Option(DeckOption.isolate) var isolation: Isolation
    @Option(DeckOption.ports) var ports: [Int]

    func validate() throws {
        guard self.isolation != .always || Isolation.isAvailable else {
            throw ValidationError(
                "--isolate always needs Linux; leave it out, and the command gets variables that lead it to the deck"
            )
        }
        for port in self.ports where !(1...65_535).contains(port) {
            throw ValidationError("--ports takes numbers from 1 to 65535, and not \(port)")
        }
    }
}

extension DeckOption {
    static let isolate = DeckOption("isolate", value: "when", in: .running)
        .with(
            help: """
                Run the command in its own network, which leads only to the deck, so that it needs no proxy setting: \
                always; auto, which uses variables if the kernel refuses; or never.
                """
        )
        .with(default: Isolation.never)

    static let ports = DeckOption("ports", kind: .repeated(.commas), value: "port", in: .running)
        .with(
            help: """
                A port of origins that an isolated command can reach, in addition to 80, 443 and those on tape; may be \
                repeated.
                """
        )
}

extension IsolationOptions {
    /// The options here, in the order of the table.
    static let declarations: [DeckOption] = [DeckOption.isolate.option, .ports]
}
