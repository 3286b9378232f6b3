import TapedeckCassettes
import TapedeckCodings
package import TapedeckCore
import TapedeckHTTP1
import TapedeckRedaction
import TapedeckTemplates

/// A take prepared for one answer: dates moved, templates filled in, body changed. A value, so that it can be computed
/// away from the event loop.
package struct StagedContent: Sendable {
    let source: TakeSource
    let staging: Staging
    /// `nil` for a take that is not a template.
    let templates: TakeTemplates?
    let now: Instant
    /// True if a body is sent.
    let hasBody: Bool
    /// True if the body is missing because the client requested only the head.
    var isHead = false

    package init(
        source: TakeSource,
        staging: Staging,
        templates: TakeTemplates?,
        now: Instant,
        hasBody: Bool,
        isHead: Bool = false
    ) {
        self.source = source
        self.staging = staging
        self.templates = templates
        self.now = now
        self.hasBody = hasBody
        self.isHead = isHead
    }

    private var take: Take { self.source.take }

    /// True if it has values for secrets.
    package var isRestored: Bool { self.source.isRestored }

    /// Up to this many bytes, of the request and of the response's body, are worked on by the event loop itself.
    private static let lightLimit = 32 << 10

    /// True if the body changes.
    private var changesBody: Bool {
        self.templates != nil || !self.staging.changes.isEmpty || !self.staging.bindings.isEmpty
            || self.staging.time.shifts && !self.staging.time.jsonDates.isEmpty
    }

    /// True if GET would get a body whose length is unknown before it is made.
    private var hidesLength: Bool {
        guard self.isHead, self.changesBody, ResponseHead.allowsBody(status: self.take.status) else { return false }
        return switch self.take.body {
        case .none: false
        case .inline: true
        case .file(let file): file.size <= TakeSource.memoryLimit
        }
    }

    /// True if the preparation is too slow for an event loop, or needs a file.
    package var isHeavy: Bool {
        if self.requestSize > Self.lightLimit || self.source.fileValues != nil { return true }
        return switch self.take.body {
        case .none: false
        case .inline(let body): body.coding != nil || body.content.count > Self.lightLimit
        case .file: self.hasBody
        }
    }

    /// The size of the request data that a template may process, in bytes.
    private var requestSize: Int {
        guard let scene = self.staging.scene else { return 0 }
        let fields = scene.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return fields + scene.request.url.target.utf8.count + (scene.body?.count ?? 0)
    }

    /// Returns the take as it is sent this time. A body in a file of up to 1 MiB is read for it; a larger one stays
    /// unchanged.
    ///
    /// - Throws: an error if the body cannot be read, or is not a valid template.
    package func staged() throws -> Take {
        var take = try self.source.loaded().take
        let age = self.age
        if age != 0 {
            take.headers = ResponseDates.shift(take.headers, byMilliseconds: age)
            take.trailers = ResponseDates.shift(take.trailers, byMilliseconds: age)
        }
        let values = try self.values()
        if let values { self.fillIn(&take, values) }
        if !self.staging.bindings.isEmpty { self.bind(&take) }
        // RFC 9110 section 9.3.2: HEAD may leave out what is known only once the body is made.
        if self.hidesLength { take.headers.removeAll { $0.isNamed("content-length") } }
        guard self.hasBody, self.changesBody, var body = try self.body(of: take) else { return take }
        let isShifted =
            age != 0
            && self.change(&body) { json in
                ResponseDates.shift(json, at: self.staging.time.jsonDates, byMilliseconds: age)
            }
        if let messages = body.messages {
            take.body = .inline(InlineBody(try self.changed(messages, values)))
            return take
        }
        if let values, body.isText {
            let ready = isShifted ? nil : self.templates?.body
            let template = try ready ?? TakeTemplates.template(body.content, of: take)
            body = InlineBody(
                form: body.form,
                content: ByteText.bytes(of: template.render(values)),
                layout: body.layout,
                coding: body.coding
            )
        }
        _ = self.change(&body, with: self.changed)
        let bound = self.staging.bindings.live(in: body, of: take.headers)
        if bound != body.content {
            body = InlineBody(form: body.form, content: bound, layout: body.layout, coding: body.coding)
            // They were those of the recorded body, and clients check them.
            take.headers.removeAll { BodyDigest.isField($0.name) }
            take.trailers.removeAll { BodyDigest.isField($0.name) }
        }
        take.body = .inline(body)
        return take
    }

    /// Puts the session's values into the header fields.
    private func bind(_ take: inout Take) {
        func bound(_ fields: [HeaderField]) -> [HeaderField] {
            fields.map { HeaderField($0.name, self.staging.bindings.live(in: $0.value)) }
        }
        take.headers = bound(take.headers)
        take.trailers = bound(take.trailers)
    }

    /// The age of the take, in milliseconds; 0 if dates do not move.
    private var age: Int64 {
        guard self.staging.time.shifts, let recorded = self.take.recorded,
            let time = Instant(rfc3339: String(recorded.prefix { $0 != "," }))
        else { return 0 }
        return self.now.milliseconds - time.milliseconds
    }

    /// Returns the body that can be changed, or `nil`.
    private func body(of take: Take) throws -> InlineBody? {
        switch take.body {
        case .none: return nil
        case .inline(let body): return body.resolved
        case .file(let file):
            guard file.size <= TakeSource.memoryLimit else { return nil }
            let bytes = try file.contents()
            let form: InlineBody.Form = String(validating: bytes, as: UTF8.self) == nil ? .base64 : .text
            return InlineBody(form: form, content: bytes, coding: file.coding)
        }
    }

    private var bodyIsFile: Bool {
        if case .file = self.take.body { true } else { false }
    }

    // MARK: Templates

    private func fillIn(_ take: inout Take, _ values: TemplateValues) {
        guard let templates = self.templates else { return }
        for (number, template) in templates.fields {
            var values = values
            // Each field draws values of its own.
            values.seed = values.seed &+ UInt64(number + 1) &* 0x9FB2_1C65_1E98_DF25
            let text = Self.visible(template.render(values))
            if number < take.headers.count {
                take.headers[number].value = text
            } else {
                take.trailers[number - take.headers.count].value = text
            }
        }
    }

    /// Returns the text with spaces for control characters, which are not allowed in a field value (RFC 9110 section
    /// 5.5).
    private static func visible(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private func values() throws -> TemplateValues? {
        guard let scene = self.staging.scene, let templates = self.templates else { return nil }
        // A body file is read as a template only now, and may use any name.
        func asks(_ name: String) -> Bool { self.bodyIsFile || templates.ask(for: name) }
        let body = scene.body ?? []
        return TemplateValues(
            method: scene.request.method,
            url: scene.request.url,
            captures: scene.captures,
            query: scene.query.map { ($0.name, $0.value) },
            headers: scene.fields,
            json: asks("json") && !body.isEmpty ? scene.message ?? (try? JSONValue(parsing: body)) : nil,
            form: asks("form") ? body.withUnsafeBytes { FormBody.parse($0) }.map { ($0.name, $0.value) } : nil,
            body: asks("request.body") ? String(validating: body, as: UTF8.self) : nil,
            take: scene.take,
            state: scene.state,
            seed: self.staging.seed,
            now: self.now
        )
    }

    // MARK: JSON

    private func changed(_ json: JSONValue) -> JSONValue {
        var random = SeededRandom(seed: self.staging.seed)
        return self.staging.changes.reduce(json) { json, change in
            switch change {
            case .merge(let patch): JSONMergePatch.apply(patch, to: json)
            case .fuzz(let fuzz, let path): fuzz.apply(to: json, at: path, random: &random)
            }
        }
    }

    /// Changes a body that is JSON; it has no white space then. Returns whether anything is different.
    private func change(_ body: inout InlineBody, with change: (JSONValue) -> JSONValue) -> Bool {
        guard !self.staging.changes.isEmpty || !self.staging.time.jsonDates.isEmpty,
            let json = self.json(body)
        else { return false }
        let text = change(json).compactText
        guard text != json.compactText else { return false }
        body = InlineBody(form: body.form, content: text, coding: body.coding)
        return true
    }

    /// The messages of a call with their templates filled in, and JSON messages changed. A change that makes no message of
    /// its type is left out.
    private func changed(_ messages: MessageList, _ values: TemplateValues?) throws -> MessageList {
        var messages = messages
        if let values, let templates = self.templates?.messages, !templates.isEmpty {
            messages = try messages.changing { number, _ in
                guard let template = templates[number] else { return nil }
                var values = values
                // Each message draws values of its own.
                values.seed = values.seed &+ UInt64(number) &* 0x9FB2_1C65_1E98_DF25
                return ByteText.bytes(of: template.render(values))
            }
        }
        if !self.staging.bindings.isEmpty {
            messages = messages.changingWherePossible { message in
                guard message.isText else { return nil }
                let content = self.staging.bindings.live(in: message.content)
                return content == message.content ? nil : content
            }
        }
        guard !self.staging.changes.isEmpty || !self.staging.time.jsonDates.isEmpty else { return messages }
        let age = self.age
        return messages.changingWherePossible { message in
            guard message.form == .json, let json = try? JSONValue(parsing: message.content) else { return nil }
            let dated =
                age == 0
                ? json : ResponseDates.shift(json, at: self.staging.time.jsonDates, byMilliseconds: age)
            return self.changed(dated).compactText
        }
    }

    private func json(_ body: InlineBody) -> JSONValue? {
        guard let json = try? JSONValue(parsing: body.content) else { return nil }
        if self.take.isJSON { return json }
        // Without a JSON type, `42` is a text.
        switch json {
        case .array, .object: return json
        default: return nil
        }
    }
}
