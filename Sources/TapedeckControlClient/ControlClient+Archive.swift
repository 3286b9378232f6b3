package import TapedeckControlAPI

/// Cassettes with all that belongs to them, in one archive.
extension ControlClient {
    /// The maximum silence, long enough for the deck to make or install an archive.
    private static let silence: Duration = .seconds(300)
    /// The maximum number of names in a URL; for more, all cassettes are requested.
    private static let nameLimit = 100

    /// Returns the versions of the deck's cassettes.
    ///
    /// - Parameter names: empty is all.
    package func cassetteVersions(_ names: [String] = []) throws(ControlError) -> CassetteVersionList {
        let named = names.count <= Self.nameLimit ? names : []
        var list: CassetteVersionList = try self.ask(
            ControlRequest("GET", ["cassette-versions"], query: Self.query(named)),
            patience: Self.silence
        )
        if named.count != names.count {
            let wanted = Set(names)
            list.cassettes.removeAll { !wanted.contains($0.name) }
        }
        return list
    }

    /// Has `receive` take an archive of cassettes, piece by piece.
    ///
    /// - Parameter names: empty is all.
    /// - Throws: ``ControlError``, among others when the archive stops before its end; what `receive` throws.
    package func downloadArchive(_ names: [String] = [], _ receive: ([UInt8]) throws -> Void) throws {
        var request = ControlRequest("GET", ["cassettes.tar"], query: Self.query(names))
        request.accepts = "application/x-tar"
        try self.transport.download(request, mediaType: "application/x-tar", silence: Self.silence, receive)
    }

    /// Sends an archive of cassettes, piece by piece.
    ///
    /// - Parameters:
    ///   - overwrites: true to replace cassettes for which the archive names no expected version.
    ///   - next: the next piece; `nil` at the end.
    /// - Returns: the result for each cassette, also if some were refused.
    package func uploadArchive(overwrites: Bool = false, _ next: () throws -> [UInt8]?) throws -> ArchiveResult {
        let request = ControlRequest("POST", ["cassettes.tar"], query: [("overwrite", overwrites ? "true" : nil)])
        do {
            let answer = try self.transport.upload(request, mediaType: "application/x-tar", silence: Self.silence, next)
            return try self.decode(answer)
        } catch let error as ControlError {
            guard let cassettes = error.problem?.cassettes else { throw error }
            return ArchiveResult(cassettes: cassettes)
        }
    }

    private static func query(_ names: [String]) -> [(name: String, value: String?)] {
        names.map { ("name", $0) }
    }
}
