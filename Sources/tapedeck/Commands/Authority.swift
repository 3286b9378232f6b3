import ArgumentParser
import TapedeckCore
import TapedeckDeck

struct Authority: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Show your certificate authority, and how to trust it.",
        subcommands: [About.self, Path.self, Print.self, Environment.self],
        defaultSubcommand: About.self
    )

    struct About: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "about",
            abstract: "Show its place and how to trust it (the default)."
        )

        @OptionGroup var output: OutputOptions

        func run() throws {
            try ExitStatus.reporting {
                let authority = try AuthorityDescription.load()
                try self.output.print(authority, or: Self.text(authority))
            }
        }

        private static func text(_ authority: AuthorityDescription) -> String {
            """
            certificate  \(authority.certificatePath)
            subject      \(authority.subject)
            expires      \(authority.expires)
            SHA-256      \(authority.fingerprint)

            It was made on this machine, for you alone; its key has never left \(authority.folder).

            For one command        tapedeck record NAME -- COMMAND   sets everything the command needs
            For this shell         eval "$(tapedeck ca env)"
            For curl               curl --cacert \(authority.certificatePath) …
            For a whole machine    sudo cp \(authority.certificatePath) \
            /usr/local/share/ca-certificates/tapedeck.crt && sudo update-ca-certificates

            Trust it for a whole machine only where nobody but you can read \(authority.folder).
            """
        }
    }

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path",
            abstract: "Print the path of the certificate."
        )

        func run() throws {
            try ExitStatus.reporting { Terminal.print(try AuthorityDescription.load().certificatePath) }
        }
    }

    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "print",
            abstract: "Print the certificate, as PEM."
        )

        func run() throws {
            try ExitStatus.reporting {
                let pem = try AuthorityDescription.load().pem
                Terminal.print(pem.hasSuffix("\n") ? String(pem.dropLast()) : pem)
            }
        }
    }

    struct Environment: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "env",
            abstract: "Print shell commands that make programs trust it."
        )

        func run() throws {
            try ExitStatus.reporting {
                let pem = try AuthorityDescription.load().pem
                let files = try ClientEnvironment.TrustFiles.writeLasting(authority: pem)
                for (name, value) in ClientEnvironment.trust(files) {
                    Terminal.print("export \(name)=\(ShellWord.inQuotes(value))")
                }
            }
        }
    }
}
