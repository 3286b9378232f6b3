import TapedeckControlAPI

extension ProxyRoute {
    /// The environment of a child process whose requests are to go to the deck and belong to this session.
    ///
    /// - Parameters:
    ///   - inherited: what it is made from; mostly `ProcessInfo.processInfo.environment`.
    ///   - trust: where the files with the deck's certificate are written, if they are not yet. They must be there for as
    ///     long as the child runs.
    ///   - controlURL: where the deck is steered, if the child may steer it.
    ///   - token: what steers the deck, if it has one.
    /// - Throws: what the file system says of the certificate files.
    package func environment(
        inheriting inherited: [String: String],
        trust: TrustFolder,
        controlURL: String? = nil,
        token: String? = nil
    ) throws -> [String: String] {
        let files = try trust.files(inheriting: inherited)
        return ClientVariables.child(
            inheriting: inherited,
            proxy: self.proxyURL,
            authority: files.authority,
            bundle: files.bundle,
            controlURL: controlURL,
            token: token,
            session: controlURL == nil ? nil : String(self.sessionKey.prefix { $0 != ":" })
        )
    }
}
