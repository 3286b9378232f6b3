import TapedeckCassettes
import TapedeckCore
import TapedeckMaintenance

/// A response set to be read: its request, and each answer with its body laid out.
struct SetReading {
    private let set: ResponseSet

    init(_ set: ResponseSet) {
        self.set = set
    }

    var lines: [String] {
        var lines = ["response set: \(self.set.name)"] + self.request.map { "  \($0)" }
        for variant in self.set.variants {
            for (number, take) in variant.behaviour.allTakes.enumerated() {
                lines += ["", "variant: \(variant.name), take \(number + 1)"] + Self.answer(take).map { "  \($0)" }
            }
            if variant.behaviour.allTakes.isEmpty {
                lines += ["", "variant: \(variant.name)", "  \(variant.behaviour.summary)"]
            }
        }
        return lines.map { $0.allSatisfy { $0 == " " } ? "" : $0 }
    }

    /// The conditions as the cassette has them, but for bodies that can be laid out.
    private var request: [String] {
        var set = self.set
        var bodies: [String] = []
        set.request.body.removeAll { matcher in
            switch matcher {
            case .json(let body, _), .jsonSubset(let body), .xml(let body, _), .bytes(let body):
                bodies += ["body:"] + ReadableBody.lines(of: body.decoded, mediaType: nil).map { "  \($0)" }
                return true
            default: return false
            }
        }
        return CassetteOutline.requestLines(of: set) + bodies
    }

    private static func lines(of message: StoredMessage, number: Int) -> [String] {
        let after = message.after.map { ", after \(Plural.text($0, "message", "messages")) of the client" } ?? ""
        let content = ReadableBody.lines(of: message.content, mediaType: nil)
        return ["message \(number) (\(message.form.rawValue)\(after))"] + content.map { "  \($0)" }
    }

    private static func answer(_ take: Take) -> [String] {
        if take.isFaultAlone { return [take.faultText ?? ""] }
        var lines = ["\(take.status) \(take.reasonPhrase)"] + take.headers.map { "\($0.name): \($0.value)" }
        let type = take.headers.first(named: "content-type")
        switch take.body {
        case .none: break
        case .inline(let body):
            if let messages = body.messages?.messages {
                lines += [""] + messages.enumerated().flatMap { self.lines(of: $1, number: $0 + 1) }
            } else {
                lines += [""] + ReadableBody.lines(of: body.decoded, mediaType: type)
            }
        case .file(let file):
            guard file.size <= BodyStorage.inspectionLimit, let bytes = try? file.contents() else {
                lines += ["", "(the file \(file.name), \(Plural.text(file.size, "byte", "bytes")))"]
                break
            }
            lines += [""] + ReadableBody.lines(of: bytes, mediaType: type)
        }
        if let fault = take.faultText { lines += ["", "then: \(fault)"] }
        return lines
    }
}
