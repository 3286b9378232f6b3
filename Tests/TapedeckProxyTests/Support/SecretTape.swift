import TapedeckCore
import TapedeckRedaction
import TapedeckSessions
import Testing

/// Tapes with placeholders of secrets, and requests to them.
enum SecretTape {
    static let origin = RunningProxy.origin

    static func set(_ name: String, _ request: RequestMatcher, priority: Int = 0) -> ResponseSet {
        var set = ResponseSet(
            name: name,
            request: request,
            variants: [Variant(name: "a", takes: [Take(body: RunningProxy.text(name))])]
        )
        set.priority = priority
        return set
    }

    static func exact(_ path: String) throws -> URLMatcher {
        .exact(try #require(AbsoluteURL("\(Self.origin)\(path)")))
    }

    static func session(
        _ sets: [ResponseSet],
        mode: Mode = .replay,
        secrets: [SecretDescription] = [],
        environment: [String: String] = [:]
    ) -> Session {
        var settings = Session.Settings(mode: mode)
        settings.secrets = DeckSecrets(environment: environment)
        return Session(settings, tape: Tape([Cassette(name: "tape", secrets: secrets, responseSets: sets)]))
    }

    static func matchRequest(
        _ path: String,
        method: String = "POST",
        fields: [HeaderField] = [],
        body: String = "",
        sha256: String = ""
    ) throws -> MatchRequest {
        let url = try #require(AbsoluteURL("\(Self.origin)\(path)"))
        return MatchRequest(
            RequestKey(method: method, url: url),
            fields: fields,
            body: ObservedBody(bytes: Array(body.utf8), sha256: sha256)
        )
    }

    /// Returns the name of the set that plays; `nil` if none does.
    static func asked(_ session: Session, _ matchRequest: MatchRequest) -> String? {
        guard case .play(let play) = session.answer(matchRequest) else { return nil }
        return play.tape.entries[play.entry].set.name
    }

    static func json(_ text: String) -> InlineBody {
        InlineBody(form: .json, content: Array(text.utf8))
    }
}

extension SecretTape {
    /// Returns the values that are played for secrets.
    static func values(_ secrets: [SecretDescription], environment: [String: String] = [:]) -> [String] {
        let values = SecretValues(secrets, environment: environment)
        return secrets.map { values.value($0.name) }
    }

    static func base64(_ text: String) -> String {
        String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
    }
}
