extension DeckConfiguration {
    /// Takes ``port`` and ``controlPort`` from options.
    ///
    /// - Parameters:
    ///   - port: `nil` is 4747, or a free one for a command.
    ///   - controlPort: `nil` is the one after `port`, or a free one where that one is free, or is the last.
    ///   - hasControl: whether there is a control API.
    ///   - runsCommand: whether the deck is there for one command, which is told its ports.
    package mutating func takePorts(port: Int?, controlPort: Int?, hasControl: Bool, runsCommand: Bool) {
        self.port = port ?? (runsCommand ? 0 : Defaults.port)
        // Who asks for another port does so not to be in the way of another deck, and would be, with a fixed one here.
        let takesFree = runsCommand || self.port == 0 || self.port == 65_535
        self.controlPort = hasControl ? controlPort ?? (takesFree ? 0 : self.port + 1) : nil
    }

    /// What clients on this machine are given for an address that a deck listens on.
    package static func url(host: String, port: Int) -> String {
        ListenerAddress(host: host, port: port).url
    }
}
