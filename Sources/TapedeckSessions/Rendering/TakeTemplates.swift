package import TapedeckCore
import TapedeckTemplates

/// The texts of a take as templates: read once, rendered for every answer.
package struct TakeTemplates: Sendable {
    /// The body that stands in the cassette; `nil` when it stands elsewhere, or is no text.
    let body: ResponseTemplate?
    /// The header fields with a tag in them, by number; the trailer fields are counted on behind them.
    let fields: [Int: ResponseTemplate]

    /// - Throws: `TemplateError` when a text is no template.
    package init(_ take: Take) throws {
        if case .inline(let body) = take.body, body.form != .base64 {
            self.body = try Self.template(body.content, of: take)
        } else {
            self.body = nil
        }
        var fields: [Int: ResponseTemplate] = [:]
        for (number, field) in (take.headers + take.trailers).enumerated() where field.value.contains("{{") {
            fields[number] = try ResponseTemplate(field.value, escaping: .header)
        }
        self.fields = fields
    }

    /// A body's text as a template.
    ///
    /// - Throws: `TemplateError` when it is none.
    static func template(_ body: [UInt8], of take: Take) throws -> ResponseTemplate {
        try ResponseTemplate(ByteText.string(from: body), escaping: take.isJSON ? .json : .none)
    }

    /// Returns true if any template uses a name, or a part of it.
    func ask(for name: String) -> Bool {
        ([self.body].compactMap(\.self) + self.fields.values).contains { $0.asks(for: name) }
    }
}

extension ResponseTemplate {
    /// Returns true if a tag has `name`, or a part of it.
    func asks(for name: String) -> Bool {
        self.names.contains { $0 == name || $0.hasPrefix("\(name).") }
    }
}

extension Take {
    /// True if the body is JSON, according to the cassette or the header.
    var isJSON: Bool {
        if case .inline(let body) = self.body, body.form == .json { return true }
        guard let value = self.headers.first(named: "content-type") else { return false }
        let type = ASCII.lowercased(String(value.prefix { $0 != ";" }.trimmingSpaces()))
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
