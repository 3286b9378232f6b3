import ArgumentParser
import TestShare
import Testing

@testable import tapedeck

/// A command made without the argument parser is the one that the parser makes.
@Suite(.ownThreads) struct PlainCommandLineTests {
    /// Argument lists that have each option of each command in each form, and the forms that
    /// no list could take. As many options as go together are in one list, because the parser takes long.
    private static func lists() -> (lists: [[String]], unsuitable: [[String]]) {
        let cassettes = ["record": ["a"], "append": ["a", "b"], "replay": ["a", "b"], "serve": ["a"]]
        var all: [[String]] = []
        var unsuitable: [[String]] = []
        for type in some(of: TapedeckCommand.running) {
            let name: String = type.configuration.commandName ?? ""
            let bare: [String] = [name] + (cassettes[name] ?? [])
            var lists: [[String]] = [bare]
            for form in DeckOption.options(of: name).flatMap(Self.forms) {
                if let index = lists.firstIndex(where: { Self.made($0 + form) != nil }) {
                    lists[index] += form
                } else if Self.made(bare + form) != nil {
                    lists.append(bare + form)
                } else {
                    unsuitable.append([name] + form)
                }
            }
            all += lists
        }
        return (all, unsuitable)
    }

    private static func forms(of option: DeckOption) -> [[String]] {
        let value = Self.values[option.name] ?? "x"
        switch option.kind {
        case .flag: return [[option.flag]] + (option.letter.map { [["-\($0)"]] } ?? [])
        case .switchable: return [[option.flag], ["--no-\(option.name)"]]
        case .value: return [[option.flag, value], ["\(option.flag)=\(value)"]]
        case .repeated:
            let other = option.name == "transparent" ? "8080=80" : value
            return [[option.flag, value], ["\(option.flag)=\(value)", option.flag, other]]
        case .variable: return []
        }
    }

    /// For options that do not take any text.
    private static let values = [
        "port": "1", "control-port": "2", "reverse": "https://api.example.com", "client-timeout": "5",
        "sessions": "optional", "isolate": "never", "ports": "80", "seed": "7", "delay": "none", "unmatched": "fail",
        "log-format": "json", "log-level": "info", "browser": "chromium", "targets": "public", "grace": "1",
        "max-connections": "9", "max-session-connections": "9", "max-requests": "9", "max-session-requests": "9",
        "max-streams": "9", "max-resets": "9", "max-sessions": "9", "connect-timeout": "3", "read-timeout": "3",
        "max-body": "1k", "status": "2xx", "only": "a.example", "except": "a.example", "passthrough": "a.example",
        "block": "a.example", "transparent": "8443=443", "max-files": "1m", "max-matched-body": "1m",
        "journal-size": "1m",
        "session-journal-size": "1m", "max-disk": "1g", "max-session-disk": "1g", "min-free-disk": "1m",
        "max-archive": "1m",
        "scan-limit": "1m", "client-cert": "a.example=cert.pem:key.pem", "resolve": "a.example:443:127.0.0.1",
        "clock": "recorded",
    ]

    @Test func `each option, in each of its forms`() throws {
        let (lists, unsuitable) = Self.lists()
        for list in lists {
            let made = try #require(Self.made(list))
            let parsed = try #require(try? TapedeckCommand.parseAsRoot(list), "the parser alone refuses \(list)")
            #expect(Self.text(made) == Self.text(parsed), "\(list)")
        }
        #expect(unsuitable.isEmpty)
    }

    @Test(
        arguments: some(of: [
            ["replay"], ["record"], ["record", "a", "b"], ["append"], ["passthrough", "a"], ["replay", "a", "--port"],
            ["replay", "a", "--port", "x"], ["replay", "a", "--port", "--verbose"], ["replay", "a", "--port", "-1"],
            ["replay", "a", "--port", "1", "--port", "2"], ["replay", "a", "--port", "70000"],
            ["replay", "a", "--prot", "1"],
            ["replay", "a", "-x"], ["replay", "a", "-vv"], ["replay", "a", "--verbose=1"], ["replay", "a", "-"],
            ["record", "a", "--loopback", "--no-loopback"], ["record", "a", "--no-strict"], ["replay", ""],
            ["replay", "a", "--targets", "nearby"], ["record", "a", "--only", "/(/"], ["record", "a", "--variant", ""],
            ["replay", "a", "--strict"], ["serve", "--sessions", "optional"], ["replay", "a", "--help"],
        ])
    )
    func `anything unusual is left to the parser`(list: [String]) {
        #expect(Self.made(list) == nil)
    }

    private static func made(_ list: [String]) -> (any ParsableCommand)? {
        guard let name = list.first,
            let type = TapedeckCommand.running.first(where: { $0.configuration.commandName == name })
        else { return nil }
        return PlainCommandLine.command(type, list.dropFirst(), DeckOption.options(of: name))
    }

    /// The values of all properties, with those of the groups. The parser keeps no titles of groups.
    private static func text(_ command: any ParsableCommand) -> String {
        var text = ""
        dump(command, to: &text)
        return text.split(separator: "\n").filter { !$0.contains("- title: ") }.joined(separator: "\n")
    }
}
