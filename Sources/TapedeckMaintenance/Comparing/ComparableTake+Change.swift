import TapedeckCassettes
import TapedeckCore

/// The difference between two takes as `diff` reports it.
extension ComparableTake {
    /// Returns the differences that `new` plays, or `nil`.
    func change(to new: ComparableTake, number: Int, digest: Digest) -> TakeChange? {
        guard self != new else { return nil }
        var change = TakeChange(kind: .changed, number: number)
        change.differences = TakeComparison.differences(self.take, new.take)
        if let index = change.differences.firstIndex(where: { $0.place == "body" && $0.kind == .value }) {
            if let old = self.text, let text = new.text {
                change.lines = LineDiff.lines(from: old, to: text, limit: 20)
            } else {
                change.differences[index].old = self.bodySummary(digest)
                change.differences[index].new = new.bodySummary(digest)
            }
        }
        change.differences += self.rest(new)
        return change.differences.isEmpty ? nil : change
    }

    private var text: String? {
        guard case .inline(let body) = self.take.body, body.isText else { return nil }
        return String(validating: body.decoded, as: UTF8.self)
    }

    private func bodySummary(_ digest: Digest) -> String? {
        switch self.take.body {
        case .none: return nil
        case .file(let file): return "\(file.size) bytes, SHA-256 \(file.name.prefix(12))"
        case .inline(let body):
            let bytes = body.decoded
            return "\(bytes.count) bytes, SHA-256 \(digest(bytes).prefix(12))"
        }
    }

    /// Returns the differences that matter only for replay.
    private func rest(_ new: ComparableTake) -> [TakeDifference] {
        let (old, new) = (self.take, new.take)
        let parts: [(place: String, old: String?, new: String?)] = [
            ("times", "\(old.times)", "\(new.times)"),
            ("reason", old.reason, new.reason),
            ("URL error", old.urlError.map { "\($0)" }, new.urlError.map { "\($0)" }),
            ("content coding", old.body.coding?.fieldValue, new.body.coding?.fieldValue),
            ("trailers", Self.text(old.trailers), Self.text(new.trailers)),
            ("interim responses", Self.text(old.interim), Self.text(new.interim)),
            ("protocol", old.isHTTP2 ? "h2" : nil, new.isHTTP2 ? "h2" : nil),
            ("end of the body", old.endsAtClose ? "at close" : nil, new.endsAtClose ? "at close" : nil),
        ]
        return parts.filter { $0.old != $0.new }.map { TakeDifference(.value, $0.place, old: $0.old, new: $0.new) }
    }

    private static func text(_ fields: [HeaderField]) -> String? {
        fields.isEmpty ? nil : fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    }

    private static func text(_ interim: [Take.Interim]) -> String? {
        interim.isEmpty ? nil : interim.map { "\($0.status) \(self.text($0.headers) ?? "")" }.joined(separator: "; ")
    }
}
