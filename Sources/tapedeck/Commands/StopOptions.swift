import ArgumentParser
import TapedeckServer

/// How a deck ends.
struct StopOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How long a stop waits for requests in flight, from 0 to 3600; what they leave of a few seconds more goes to \
            saving recordings.
            """,
            valueName: "seconds"
        )
    )
    var grace = 5

    func validate() throws {
        guard (0...3_600).contains(self.grace) else { throw ValidationError("--grace takes seconds, from 0 to 3600") }
    }

    func apply(to configuration: inout DeckConfiguration) {
        configuration.grace = self.grace
    }
}
