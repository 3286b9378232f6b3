import TapedeckCassettes
import TapedeckControlModel
import TapedeckCore
import TapedeckProxy

extension SessionDirectory.Request {
    /// How long a name may be, in characters.
    private static let nameLimit = 200

    /// What a client asks for.
    ///
    /// - Throws: ``Problem`` that says where it is not right.
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
    }

    /// Those it names, else those that the deck was started with; but what is recorded into is named, or nothing is.
    private static func cassettes(
        _ wanted: SessionRequest,
        _ mode: Mode,
        _ sessions: SessionDirectory
    ) throws -> [CassetteLocation] {
        guard let names = wanted.cassettes else { return mode.records ? [] : sessions.configuration.cassettes }
        guard names.count <= 100 else { throw Problem.badBody("/cassettes", "a session plays at most 100 cassettes") }
        return try names.enumerated().map { index, name in
            do throws(CassetteError) {
                return try sessions.library.location(named: name)
            } catch {
                throw Problem.badBody("/cassettes/\(index)", error.diagnostics.first?.message ?? error.description)
            }
        }
    }
}
