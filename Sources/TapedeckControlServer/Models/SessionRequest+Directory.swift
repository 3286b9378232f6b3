import TapedeckCassettes
import TapedeckControlAPI
import TapedeckCore
import TapedeckSessions

extension ScenarioName {
    /// - Throws: ``Problem`` for a text that cannot be the name of a variant.
    init(_ text: String, at pointer: String) throws {
        do throws(Invalid) {
            try self.init(text)
        } catch {
            throw Problem.badBody(pointer, error.description)
        }
    }
}

extension SessionDirectory.Request {
    /// The maximum length of a name, in characters.
    private static let nameLimit = 200
    /// The maximum length of the path of a cassette, in Unicode scalars.
    private static let pathLimit = 4_096
    /// The maximum number of cassettes per session.
    private static let cassetteLimit = 100

    /// Creates a request for a session from a client's settings.
    ///
    /// - Throws: ``Problem`` with the place of the mistake.
    init(_ wanted: SessionRequest, _ sessions: SessionDirectory) throws {
        guard let mode = Mode(rawValue: wanted.mode ?? Mode.replay.rawValue) else {
            let modes = Mode.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.badBody("/mode", "this must be one of \(modes)")
        }
        self.init(mode: mode, cassettes: try Self.cassettes(wanted, mode, sessions))
        if let name = wanted.name {
            guard !name.isEmpty, name.count <= Self.nameLimit,
                !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw Problem.badBody("/name", "a name has 1 to \(Self.nameLimit) characters, none of them a control")
            }
            self.name = name
        }
        self.policy = try wanted.unmatched?.decoded(at: "/unmatched")
        self.selections = (wanted.selections ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.profiles = (wanted.profiles ?? []).map { ($0.name, $0.only ?? []) }
        self.state = (wanted.state ?? [:]).sorted { $0.key < $1.key }.map { StateEntry($0.key, $0.value) }
        self.seed = wanted.seed
        self.match = try wanted.match.map(Self.match)
        guard self.match == nil || !mode.records else {
            throw Problem.badBody(
                "/match",
                "a recording compares as its cassette says: write `match` into that instead"
            )
        }
        self.paths = try wanted.paths.map(Self.paths) ?? [:]
        self.ownProfile = wanted.ownProfile ?? false
        self.recordingVariant = try wanted.recordingVariant.map {
            try ScenarioName($0, at: "/recordingVariant")
        }
        self.streams = try wanted.streams.map { text in
            do throws(StreamPace.Invalid) {
                return try StreamPace(text)
            } catch {
                throw Problem.badBody("/streams", error.description)
            }
        }
    }

    private static func paths(_ paths: [String: String]) throws -> [String: String] {
        for (name, path) in paths {
            guard (1...Self.pathLimit).contains(path.unicodeScalars.count),
                !path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw Problem.badBody(
                    "/paths/\(StrictJSON.escaped(name))",
                    "a path has 1 to \(Self.pathLimit) characters, none of them a control"
                )
            }
        }
        return paths
    }

    private static func match(_ names: [String]) throws -> [MatchingRules.Part] {
        var parts: [MatchingRules.Part] = []
        for (index, name) in names.enumerated() {
            guard let part = MatchingRules.Part(rawValue: name) else {
                let known = MatchingRules.Part.allCases.map(\.rawValue)
                throw Problem.badBody(
                    "/match/\(index)",
                    "this must be one of \(known.joined(separator: ", "))"
                )
            }
            if !parts.contains(part) { parts.append(part) }
        }
        if let mistake = MatchingRules.mistake(in: parts) { throw Problem.badBody("/match", mistake.message) }
        return parts
    }

    /// Those it names, else those that the deck was started with; but what is recorded into is named, or nothing is.
    private static func cassettes(
        _ wanted: SessionRequest,
        _ mode: Mode,
        _ sessions: SessionDirectory
    ) throws -> [CassetteLocation] {
        let files = try wanted.files.map { try Self.files($0, sessions) }
        guard let names = wanted.cassettes else {
            guard let files else { return mode.records ? [] : sessions.configuration.cassettes }
            return try Self.cassettes(of: files)
        }
        guard names.count <= Self.cassetteLimit else {
            throw Problem.badBody("/cassettes", "a session plays at most \(Self.cassetteLimit) cassettes")
        }
        return try names.enumerated().map { index, name in
            if let cassette = files?.cassette(name) { return cassette }
            do throws(CassetteError) {
                return try sessions.library.location(named: name)
            } catch {
                throw Problem.badBody("/cassettes/\(index)", error.diagnostics.first?.message ?? error.description)
            }
        }
    }

    // MARK: Files

    private static func files(
        _ files: [String: SessionFile],
        _ sessions: SessionDirectory
    ) throws -> SessionFiles {
        var contents: [String: [UInt8]] = [:]
        for (path, file) in files {
            guard let bytes = file.bytes else {
                throw Problem.badBody("/files/\(StrictJSON.escaped(path))/base64", "this is no base64")
            }
            contents[path] = bytes
        }
        do throws(SessionFiles.Problem) {
            return try sessions.library.store.files(contents)
        } catch {
            throw Problem.badBody(
                error.path.map { "/files/\(StrictJSON.escaped($0))" } ?? "/files",
                error.message
            )
        }
    }

    /// Returns all of them, for requests that name none.
    private static func cassettes(of files: SessionFiles) throws -> [CassetteLocation] {
        let cassettes = files.cassettes
        guard (1...Self.cassetteLimit).contains(cassettes.count) else {
            throw Problem.badBody(
                "/files",
                cassettes.isEmpty
                    ? "there is no cassette among the files: a file in no folder that ends in .yaml and begins with "
                        + "`tapedeck: 1`"
                    : "these are \(cassettes.count) cassettes; name those that the session plays in `cassettes`, at most "
                        + "\(Self.cassetteLimit)"
            )
        }
        return cassettes
    }
}

extension SessionFile {
    /// The content; `nil` for invalid base64.
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .text(let text): Array(text.utf8)
        case .base64(let text): Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
        }
    }
}
