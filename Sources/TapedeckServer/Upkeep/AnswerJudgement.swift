import TapedeckCassettes
import TapedeckCore
import TapedeckRedaction

/// Judges live answers by the takes that they might renew.
enum AnswerJudgement {
    /// Why the takes of a set should stay: a request of it has no answer, or one that tells nothing about the API; `nil`
    /// when all is well.
    static func failure(of answers: [LiveAsking.Answer], for set: ResponseSet) -> String? {
        for answer in answers {
            guard let exchange = answer.exchange else {
                let why = answer.notRecorded.map { ": \($0)" } ?? ""
                return "the answer of \(answer.request.url.origin) could not be recorded\(why)"
            }
            if let fault = exchange.response.fault {
                let detail = exchange.response.detail.map { ": \($0)" } ?? ""
                return "\(answer.request.url.origin) could not be asked (\(fault.rawValue)\(detail))"
            }
            let status = exchange.response.status
            if let old = Self.take(answer.request.take, of: set)?.status, old < 400, Self.saysNothing(status) {
                return "\(answer.request.url.origin) answers \(status) where the tape has \(old)" + Self.remedy(status)
            }
        }
        return nil
    }

    /// A server that wants other credentials, fewer requests, or has trouble of its own.
    private static func saysNothing(_ status: Int) -> Bool {
        switch status {
        case 401, 403, 407, 429: true
        default: status >= 500
        }
    }

    private static func remedy(_ status: Int) -> String {
        switch status {
        case 401, 403: "; give what it wants with --header 'Authorization: …'"
        case 429: "; try again later"
        default: ""
        }
    }

    /// What a live answer has otherwise than a take; `nil` when they are alike.
    static func change(
        _ answer: Take,
        to set: ResponseSet,
        take number: Int,
        ignoring ignored: MatchingRules
    ) -> UpkeepReport.Change? {
        guard let variant = set.recordedVariant, let old = Self.take(number, of: set) else { return nil }
        let differences = TakeComparison.differences(
            Self.withoutNumbers(old.compared),
            Self.withoutNumbers(answer),
            ignoring: ignored
        )
        guard !differences.isEmpty else { return nil }
        return UpkeepReport.Change(
            set: set.name,
            take: number + 1,
            takes: set.variants[variant].takes.count,
            differences: differences
        )
    }

    private static func take(_ number: Int, of set: ResponseSet) -> Take? {
        guard let variant = set.recordedVariant, set.variants[variant].takes.indices.contains(number) else {
            return nil
        }
        return set.variants[variant].takes[number]
    }

    // MARK: Placeholders

    /// A take whose placeholders say what kind of secret stands there, and not which one: a fresh token is no change.
    private static func withoutNumbers(_ take: Take) -> Take {
        var take = take
        take.headers = take.headers.map { field in
            HeaderField(field.name, SecretPlaceholder.replacing(in: field.value) { Self.kind(of: $0).text })
        }
        if case .inline(let body) = take.body {
            let content = body.decoded
            let kinds = SecretPlaceholder.replacing(in: content) { Array(Self.kind(of: $0).text.utf8) }
            if kinds != content { take.body = .inline(InlineBody(form: body.form, content: kinds)) }
        }
        return take
    }

    private static func kind(of placeholder: SecretPlaceholder) -> SecretPlaceholder {
        var placeholder = placeholder
        placeholder.number = nil
        let name = placeholder.name
        if let dash = name.lastIndex(of: "-"), let number = Int(name[name.index(after: dash)...]), number > 1 {
            placeholder.name = String(name[..<dash])
        }
        return placeholder
    }
}
