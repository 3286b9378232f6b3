/// Says in commands what the control API says in routes.
enum SteeringWords {
    /// The longer routes first, as some begin like others.
    private static let commands = [
        ("; GET /v1/cassettes lists those there are", " in the deck's folder"),
        ("POST /v1/sessions/default/reset", "`tapedeck reset`"),
        ("POST /v1/sessions", "`tapedeck session create`"),
        ("GET /v1/sessions", "`tapedeck session list`"),
    ]

    /// Returns a message of a deck with the commands that do what its routes do.
    static func commands(in message: String) -> String {
        self.commands.reduce(message) { $0.replacing($1.0, with: $1.1) }
    }
}
