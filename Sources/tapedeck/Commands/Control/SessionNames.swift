import TapedeckControlAPI
import TapedeckControlClient
import TapedeckDeck

/// The names that a selection may mean, asked of the deck only where a text can be parted in several places.
struct SessionNames {
    private let sets: () throws -> Set<String>
    private let profiles: () throws -> Set<String>

    /// The names in a session.
    init(_ session: SessionClient) {
        self.sets = { Set(try session.sets().map(\.name)) }
        self.profiles = { Set(try session.profiles().map(\.name)) }
    }

    /// The names on cassettes.
    private init(_ client: ControlClient, on cassettes: [String]) {
        self.sets = { Set(try cassettes.flatMap { try client.setNames(ofCassette: $0) }) }
        self.profiles = {
            Set(try client.cassettes().filter { cassettes.contains($0.name) }.flatMap(\.profiles))
        }
    }

    /// The names in a session that is still to be made.
    ///
    /// - Parameter cassettes: none are those that the deck was started with.
    init(_ client: ControlClient, cassettes: [String]) {
        self = cassettes.isEmpty ? Self(client.session("default")) : Self(client, on: cassettes)
    }

    /// `SET=VARIANT`.
    func choice(_ text: String) throws -> (set: String, variant: String) {
        let sets = SelectionText.isAmbiguous(choice: text) ? try self.sets() : []
        return try SelectionText.choice(text, sets: sets)
    }

    /// `NAME`, or `NAME=TARGET,TARGET`.
    func profile(_ text: String) throws -> ProfileChoice {
        guard text.contains("=") else { return ProfileChoice(text) }
        let profile = try SelectionText.profile(text, sets: try self.sets(), profiles: try self.profiles())
        return ProfileChoice(profile.name, only: profile.targets.isEmpty ? nil : profile.targets)
    }
}
