import Logging
import NIOCore
package import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions
package import TapedeckTLS

/// Cassettes with all that belongs to them, as one archive: out of the deck's folder, and into it.
enum ArchiveRoutes {
    private static let path = "/v1/cassettes.tar"
    private static let mediaType = "application/x-tar"

    static let all: [ControlRoute] = [
        ControlRoute(.get, "/v1/cassette-versions", Self.versions),
        ControlRoute(.get, Self.path, Self.download),
        ControlRoute(.post, Self.path, taking: Self.mediaType, Self.upload),
    ]

    // MARK: Out

    /// The cassettes that a request names; all of the folder where it names none.
    private static func wanted(_ call: Call) throws -> (names: [String], folder: ArchiveFolder) {
        let query = try Query(call.request.query, allowing: ["name"], repeated: ["name"])
        return (query.texts("name"), ArchiveFolder(call.deck.sessions.library.folder))
    }

    private static func locations(_ names: [String], _ folder: ArchiveFolder) throws -> [CassetteLocation] {
        guard !names.isEmpty else { return folder.cassettes() }
        var locations: [String: CassetteLocation] = [:]
        for name in names {
            let location = try folder.location(named: name)
            guard FileContents.exists(location.path) else { throw CassetteRoutes.missing(location) }
            locations[location.name] = location
        }
        return locations.values.sorted { $0.name < $1.name }
    }

    private static func versions(_ call: Call) async throws -> Response {
        let (names, folder) = try self.wanted(call)
        let cassettes = try await call.withFiles {
            try self.locations(names, folder).compactMap { location -> CassetteVersionModel? in
                do {
                    let version = try CassetteBundle(location).version(hashing: SHA256.hashing)
                    return CassetteVersionModel(
                        name: location.name,
                        digest: version.digest,
                        modified: version.modified.rfc3339,
                        size: version.size,
                        files: version.files
                    )
                } catch let error as FileError where error.isMissing {
                    // It was removed since the folder was listed.
                    return nil
                } catch let error as ArchiveError {
                    let none = (digest: "", modified: Instant(seconds: 0).rfc3339)
                    return CassetteVersionModel(
                        name: location.name,
                        digest: none.digest,
                        modified: none.modified,
                        size: 0,
                        files: 0,
                        problem: error.description
                    )
                }
            }
        }
        return try Reply.json(CassetteVersionList(cassettes: cassettes, time: Instant.now.rfc3339))
    }

    private static func download(_ call: Call) async throws -> Response {
        let (names, folder) = try self.wanted(call)
        let slot = try call.service.longRequests.enter()
        let locations = try await call.withFiles { try self.locations(names, folder) }
        let source = ArchiveSource(locations.map { ($0, nil) }, in: folder)
        let pieces = ArchiveDownload(source: source, threadPool: call.deck.threadPool)
        let log = call.service.log
        return Response(
            [
                ("Content-Type", self.mediaType), ("Cache-Control", "no-store"),
                ("Content-Disposition", "attachment; filename=\"cassettes.tar\""),
            ],
            .pieces { writer in
                do {
                    for try await piece in pieces { try await writer.write(piece) }
                } catch let error as ArchiveError {
                    // The client sees an answer that stops before its end.
                    log.warning("an archive of cassettes could not be sent", metadata: ["error": "\(error)"])
                    throw error
                }
                withExtendedLifetime(slot) {}
            }
        )
    }

    // MARK: In

    private static func upload(_ call: Call) async throws -> Response {
        let overwrites = try call.query("overwrite").flag("overwrite")
        let slot = try call.service.longRequests.enter()
        let sessions = call.deck.sessions
        let folder = ArchiveFolder(sessions.library.folder)
        var limits = ArchiveLimits()
        limits.size = call.service.configuration.archiveLimit
        let contents: ArchiveContents
        do {
            contents = try await self.unpack(call, folder, limits)
        } catch let error as ArchiveError {
            throw Problem(error)
        } catch let error as FileError {
            throw Problem(unwritable: error) ?? error
        }
        let outcomes = try await call.withFiles {
            defer { contents.stage.discard() }
            var installer = ArchiveInstaller(into: folder, store: sessions.library.store, hashing: SHA256.hashing)
            var outcomes: [ArchiveOutcomeModel] = []
            for cassette in contents.cassettes {
                do {
                    let outcome = try installer.install(cassette, overwrites: overwrites)
                    outcomes.append(ArchiveOutcomeModel(cassette.name, outcome))
                    if outcome == .replaced || outcome == .created { self.tell(sessions, cassette.name, folder) }
                } catch let error as FileError {
                    // Cassettes that are already installed are reported.
                    guard outcomes.contains(where: \.isInPlace) else { throw Problem(unwritable: error) ?? error }
                    outcomes.append(ArchiveOutcomeModel(cassette.name, .refused(.notWritable("\(error)"))))
                }
            }
            try installer.settle()
            return outcomes
        }
        return try withExtendedLifetime(slot) {
            guard outcomes.allSatisfy({ $0.outcome != "refused" }) else { throw Problem(refused: outcomes) }
            return try Reply.json(ArchiveResult(cassettes: outcomes))
        }
    }

    private static func unpack(
        _ call: Call,
        _ folder: ArchiveFolder,
        _ limits: ArchiveLimits
    ) async throws -> ArchiveContents {
        let stage = try await call.withFiles {
            try ArchiveStage(in: folder, limits: limits, hashing: SHA256.hashing)
        }
        do {
            var pieces = call.request.body.makeAsyncIterator()
            while let buffer = try await Self.next(&pieces) {
                let bytes = Array(buffer.readableBytesView)
                try await call.withFiles { try stage.receive(bytes) }
            }
            return try await call.withFiles { try stage.finish() }
        } catch {
            // Before the answer, so that its receiver finds no leftovers.
            try? await call.withFiles { stage.discard() }
            throw error
        }
    }

    private static func next(_ pieces: inout RequestBody.AsyncIterator) async throws -> ByteBuffer? {
        do {
            return try await pieces.next()
        } catch {
            throw Call.interrupted(error)
        }
    }

    /// Makes the sessions that play a cassette play the new version, before the sender gets the answer.
    private static func tell(_ sessions: SessionDirectory, _ name: String, _ folder: ArchiveFolder) {
        guard let location = try? folder.location(named: name) else { return }
        sessions.cassettesChanged(sessions.library.reload([location]))
    }
}

extension SHA256: ContentHash {
    /// Makes hashes for the versions of cassettes.
    package static let hashing: ContentHashing = { SHA256() }
}
