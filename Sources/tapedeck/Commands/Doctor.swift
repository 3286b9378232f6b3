import ArgumentParser
import TapedeckCassettes
import TapedeckCore
import TapedeckDeck

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show which clients on this machine a command behind -- reaches, and how.",
        usage: "tapedeck doctor [<programs> ...] [-- <command> ...]",
        discussion: """
            Without a command, looks for programs on the path and starts none of them. `tapedeck help trusting-the-ca` lists \
            more clients, and what was tried.

            With a command, runs it with the variables that record and replay set, forwards its requests to the live \
            servers, and prints for each origin whether they came through the proxy. Requests past the proxy are seen \
            if the kernel permits the command its own network (Linux). Exits with 0 if a bare -- reaches every \
            request, and with 1 otherwise.
            """
    )

    /// A program, and how its requests reach a deck that starts it.
    private struct Client: Encodable {
        var program: String
        var name: String
        /// True if nothing has to be set by hand.
        var isReached: Bool
        /// The mechanism, or what to do.
        var how: String
    }

    private static let clients = [
        Client(program: "curl", name: "curl", isReached: true, how: "http_proxy, CURL_CA_BUNDLE"),
        Client(program: "wget", name: "wget", isReached: true, how: "https_proxy, SYSTEM_WGETRC"),
        Client(program: "wget2", name: "wget2", isReached: true, how: "https_proxy, SYSTEM_WGET2RC"),
        Client(program: "aria2c", name: "aria2", isReached: false, how: #"HTTPS: --ca-certificate="$SSL_CERT_FILE""#),
        Client(program: "git", name: "git", isReached: true, how: "https_proxy, GIT_SSL_CAINFO"),
        Client(program: "apt-get", name: "apt", isReached: true, how: "https_proxy, APT_CONFIG"),
        Client(
            program: "python3",
            name: "Python urllib, requests, httpx",
            isReached: true,
            how: "https_proxy, SSL_CERT_FILE"
        ),
        Client(program: "python3", name: "Python aiohttp", isReached: false, how: "ClientSession(trust_env=True)"),
        Client(program: "python3", name: "Python urllib3 on its own", isReached: false, how: "urllib3.ProxyManager"),
        Client(
            program: "node",
            name: "Node",
            isReached: true,
            how: "NODE_OPTIONS or NODE_USE_ENV_PROXY, NODE_EXTRA_CA_CERTS"
        ),
        Client(program: "java", name: "Java", isReached: true, how: "JAVA_TOOL_OPTIONS"),
        Client(program: "php", name: "PHP", isReached: true, how: "PHP_INI_SCAN_DIR"),
        Client(
            program: "perl",
            name: "Perl LWP, Mojo, HTTP::Tiny",
            isReached: true,
            how: "PERL_LWP_ENV_PROXY, MOJO_PROXY, SSL_CERT_FILE"
        ),
        Client(program: "ruby", name: "Ruby", isReached: true, how: "http_proxy, SSL_CERT_FILE; never for localhost"),
        Client(program: "go", name: "Go", isReached: true, how: "https_proxy, SSL_CERT_FILE; never for localhost"),
        Client(
            program: "swift",
            name: "Swift URLSession on Linux",
            isReached: false,
            how: "HTTPS: --reverse ORIGIN, or TapedeckTesting in tests"
        ),
        Client(program: "chromium", name: "Chromium", isReached: false, how: "--browser chromium"),
        Client(program: "firefox", name: "Firefox", isReached: false, how: "--browser firefox"),
        Client(program: "firefox-esr", name: "Firefox ESR", isReached: false, how: "--browser firefox"),
    ]

    @Argument(help: "Programs to show, such as node (default: all that are known and installed).")
    var programs: [String] = []

    @Option(
        help: ArgumentHelp(
            "With a command: a port of origins in addition to 80 and 443; may be repeated.",
            valueName: "port"
        )
    )
    var ports: [Int] = []
    @OptionGroup var output: OutputOptions

    /// The JSON that `--json` prints without a command.
    private struct Clients: Encodable {
        let clients: [Client]
        /// The library that `replay --clock` uses.
        let clockLibrary: String?
    }

    func validate() throws {
        guard self.programs.isEmpty || CommandLineParts.current.command.isEmpty else {
            throw ValidationError("give programs or a command behind --, not both")
        }
        for port in self.ports where !(1...65_535).contains(port) {
            throw ValidationError("--ports takes numbers from 1 to 65535, and not \(port)")
        }
    }

    func run() throws {
        try ExitStatus.reporting {
            let command = CommandLineParts.current.command
            guard command.isEmpty else {
                return try DoctorRun(command: command, ports: self.ports, printsJSON: self.output.json).run()
            }
            if let unknown = self.programs.first(where: { name in !Self.clients.contains { $0.program == name } }) {
                let known = Set(Self.clients.map(\.program)).sorted().joined(separator: ", ")
                throw DeckError("\(unknown) is none of the programs that are known: \(known)", kind: .badOption)
            }
            let found = Self.clients.filter {
                (self.programs.isEmpty || self.programs.contains($0.program)) && Executables.contains($0.program)
            }
            let library = FakeClock.installed?.library
            var rows = found.map { [$0.name, $0.isReached ? "reached" : "by hand", $0.how] }
            if self.programs.isEmpty {
                let how = library ?? "install libfaketime: apt-get install faketime"
                rows.append(["replay --clock", library == nil ? "by hand" : "reached", how])
            }
            let value = Clients(clients: found, clockLibrary: library)
            try self.output.print(value, or: TextTable.aligned(rows).joined(separator: "\n"))
        }
    }
}
