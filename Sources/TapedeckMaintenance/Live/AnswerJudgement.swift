import TapedeckCassettes
import TapedeckCore

/// Judges live answers by the takes that they might renew.
enum AnswerJudgement {
    /// Returns the reason why the takes of a set should stay: a request has no answer, or one that reveals nothing
    /// about the API. Returns `nil` if the answers are usable.
    static func failure(of answers: [LiveAnswer], for set: ResponseSet) -> String? {
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

    /// Returns the differences between a live answer, with the take's names for its secrets, and a take, or `nil` if
    /// they are equal.
    static func change(
        _ answer: Take,
        to set: ResponseSet,
        take number: Int,
        ignoring ignored: MatchingRules
    ) -> MaintenanceReport.Change? {
        guard let variant = set.recordedVariant, let old = Self.take(number, of: set) else { return nil }
        let differences = TakeComparison.differences(
            old.compared,
            answer,
            ignoring: ignored
        )
        guard !differences.isEmpty else { return nil }
        return MaintenanceReport.Change(
            set: set.name,
            take: number + 1,
            takes: set.variants[variant].takes.count,
            differences: differences
        )
    }

    static func take(_ number: Int, of set: ResponseSet) -> Take? {
        guard let variant = set.recordedVariant, set.variants[variant].takes.indices.contains(number) else {
            return nil
        }
        return set.variants[variant].takes[number]
    }
}
