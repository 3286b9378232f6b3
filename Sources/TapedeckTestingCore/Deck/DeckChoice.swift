/// Which deck a test uses.
public enum DeckChoice: Sendable, Hashable {
    /// The one that `TAPEDECK_URL` names, with the token of `TAPEDECK_TOKEN`; else the one inside the test process.
    case automatic
    /// The one inside the test process, whatever the environment says: started on first use, one for all tests of the
    /// process, on free ports of the loopback address.
    case inProcess
    /// One that runs already, such as a container.
    ///
    /// - Parameters:
    ///   - url: of its control API, such as `http://127.0.0.1:4748`.
    ///   - token: what steers it, if it has one.
    case running(url: String, token: String? = nil)
}
