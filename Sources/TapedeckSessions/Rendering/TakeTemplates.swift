import TapedeckCodings
package import TapedeckCore
import TapedeckTemplates

/// The texts of a take as templates: read once, rendered for every answer.
package struct TakeTemplates: Sendable {
    /// The body in the cassette; `nil` if it is elsewhere, or not text.
    let body: ResponseTemplate?
    /// The messages of a call, by number, as far as they have a tag.
    let messages: [Int: ResponseTemplate]
    /// The header fields with a tag in them, by number; the trailer fields are counted on behind them.
    let fields: [Int: ResponseTemplate]

    /// - Throws: `TemplateError` if a text is not a valid template.
    package init(_ take: Take) throws {
        if case .inline(let body) = take.body, body.isText {
            self.body = try Self.template(body.content, of: take)
        } else {
            self.body = nil
        }
        var messages: [Int: ResponseTemplate] = [:]
        if case .inline(let body) = take.body, let list = body.messages {
            for (number, message) in list.messages.enumerated() where message.isText {
                let text = ByteText.string(from: message.content)
                // Strings of both forms have the escapes of JSON.
                if text.contains("{{") { messages[number] = try ResponseTemplate(text, escaping: .json) }
            }
        }
        self.messages = messages
        var fields: [Int: ResponseTemplate] = [:]
        for (number, field) in (take.headers + take.trailers).enumerated() where field.value.contains("{{") {
            fields[number] = try ResponseTemplate(field.value, escaping: .header)
        }
        self.fields = fields
    }

    /// Parses a body's text as a template.
    ///
    /// - Throws: `TemplateError` if it is invalid.
    static func template(_ body: [UInt8], of take: Take) throws -> ResponseTemplate {
        try ResponseTemplate(ByteText.string(from: body), escaping: take.isJSON ? .json : .none)
    }

    /// Returns true if any template uses a name, or a part of it.
    func ask(for name: String) -> Bool {
        ([self.body].compactMap(\.self) + self.messages.values + self.fields.values).contains { $0.asks(for: name) }
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
        let type = self.headers.mediaType
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
