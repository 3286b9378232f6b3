package import TapedeckCore
import TapedeckYAML

/// One answer as a text to edit: a status line, header fields, an empty line, the body.
package enum AnswerText {
    /// A text that is not an answer, or an invalid answer.
    package struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Returns the text of a take, with its body without content coding, and JSON laid out to be read.
    ///
    /// - Throws: ``Invalid`` for a take that has no answer.
    package static func text(of take: Take) throws(Invalid) -> [UInt8] {
        if let fault = take.fault, take.isFaultAlone {
            throw Invalid(description: "it has no answer to edit: it is the fault \(fault.rawValue)")
        }
        var text = "\(take.status) \(take.reasonPhrase)\n"
        for field in take.headers { text += "\(field.name): \(field.value)\n" }
        return Array("\(text)\n".utf8) + (self.body(of: take) ?? [])
    }

    /// True if the body is text, which can be edited.
    package static func hasTextBody(_ take: Take) -> Bool { self.body(of: take) != nil }

    /// Returns a take with the status, header fields and body of an edited text, and with all else as it was. A body that
    /// is not text stays, and so does `Content-Length`, unless it was that of the old body.
    ///
    /// - Parameter isTemplate: true if the body is a template, which need not be JSON.
    /// - Throws: ``Invalid`` with the line of a mistake.
    package static func take(
        _ old: Take,
        edited text: [UInt8],
        isTemplate: Bool = false
    ) throws(Invalid) -> Take {
        var take = old
        var rest = text[...]
        var number = 0
        func line() -> String? {
            guard !rest.isEmpty else { return nil }
            number += 1
            let end = rest.firstIndex(of: ASCII.lineFeed) ?? rest.endIndex
            defer { rest = rest[min(end + 1, rest.endIndex)...] }
            let line = rest[..<end]
            return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        guard let first = line() else { throw Invalid(description: "the text is empty; nothing was changed") }
        (take.status, take.reason) = try self.status(first)
        take.headers = []
        while let text = line(), !text.isEmpty {
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex,
                !text[..<colon].contains(where: { $0 == " " || $0 == "\t" })
            else {
                throw Invalid(
                    description:
                        "line \(number): \"\(text.prefix(60))\" is no header field; write NAME: VALUE, and an empty "
                        + "line in front of the body"
                )
            }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            take.headers.append(HeaderField(String(text[..<colon]), String(value)))
        }
        guard let body = self.body(of: old) else {
            guard rest.allSatisfy({ $0 <= ASCII.space }) else {
                throw Invalid(description: "the body is not text and cannot be edited here; leave it out of the text")
            }
            return take
        }
        var edited = Array(rest)
        // Editors end a file with a line feed.
        if edited.last == ASCII.lineFeed, body.last != ASCII.lineFeed { edited.removeLast() }
        if edited != body { try self.replaceBody(of: &take, with: edited, isTemplate: isTemplate, linesBefore: number) }
        return take
    }

    /// Returns a take with the status, header fields and body of another one, and with all else as it was. A text body
    /// takes the form of the old body; a body that is not text stays if the other take has none.
    ///
    /// - Parameter isTemplate: true if the body is a template, which need not be JSON.
    /// - Throws: ``Invalid`` if the body is too long, or is no JSON where the old one is.
    package static func take(
        _ old: Take,
        answering other: Take,
        isTemplate: Bool = false
    ) throws(Invalid) -> Take {
        var take = old
        (take.status, take.reason, take.headers) = (other.status, other.reason, other.headers)
        // As the file says that a date is that of the recording.
        for index in take.headers.indices where take.headers[index].isNamed("date") {
            guard take.headers[index].value == Take.recordedDate, let date = old.dateWhenRecorded else { continue }
            take.headers[index].value = date
        }
        let body = self.body(of: old)
        switch other.body {
        case .none:
            if let body, !body.isEmpty { try self.replaceBody(of: &take, with: [], isTemplate: isTemplate) }
        case .inline(let new) where new.isText && new.coding == nil && body != nil:
            // A form in a page has no line feed at its end.
            let isSame = new.content == body || body.map { new.content + [ASCII.lineFeed] == $0 } ?? false
            if !isSame { try self.replaceBody(of: &take, with: new.content, isTemplate: isTemplate) }
        case .inline, .file:
            take.body = other.body
            take.pieces = nil
        }
        return take
    }

    private static func status(_ line: String) throws(Invalid) -> (Int, reason: String?) {
        var words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)[...]
        if words.first?.hasPrefix("HTTP/") == true { words = words.dropFirst() }
        guard let status = words.first.flatMap({ Int($0) }), (200...999).contains(status) else {
            throw Invalid(
                description: "line 1: \"\(line.prefix(60))\" is no status line; write a status from 200 to 999"
            )
        }
        let reason = words.dropFirst().joined(separator: " ")
        return (status, reason.isEmpty || reason == StatusPhrase.standard(status) ? nil : reason)
    }

    /// The body as it is edited; `nil` for one that is not text.
    private static func body(of take: Take) -> [UInt8]? {
        switch take.body {
        case .none: return []
        case .inline(let body) where !body.isText: return nil
        case .inline(let body): return self.readable(body)?.text ?? body.content
        case .file(let file):
            guard file.size <= BodyStorage.inlineLimit, let content = try? file.contents(),
                String(validating: content, as: UTF8.self) != nil
            else { return nil }
            return content
        }
    }

    /// Returns formatted JSON for a body that the cassette has on one line, exactly as on the wire.
    private static func readable(_ body: InlineBody) -> (text: [UInt8], layout: JSONLayout)? {
        guard body.form == .json, body.layout == nil else { return nil }
        return body.content.withUnsafeBytes { JSONLayout.readable($0) }
    }

    /// - Parameter linesBefore: the number of lines of the edited text before the body; `nil` if it is edited alone.
    private static func replaceBody(
        of take: inout Take,
        with content: [UInt8],
        isTemplate: Bool,
        linesBefore: Int? = nil
    ) throws(Invalid) {
        guard content.count <= BodyStorage.inlineLimit else {
            throw Invalid(
                description: "the body has \(content.count) bytes, and at most \(BodyStorage.inlineLimit) stand in a "
                    + "cassette; put a longer one into a file beside it, as `file:`"
            )
        }
        let old = take.body
        var coding = old.coding
        // The coded bytes that were kept are those of the old body.
        coding?.kept = nil
        if content.isEmpty {
            take.body = .none
        } else if case .inline(var body) = old {
            // An answer of another type, such as the page of a gateway, is no JSON.
            if body.form == .json, let type = take.headers.first(named: "content-type"),
                !ASCII.lowercased(type).containsText("json"), BodyJSON.error(in: content) != nil
            {
                (body.form, body.layout) = (.text, nil)
            }
            if body.form == .json, !isTemplate, let error = BodyJSON.error(in: content) {
                let place = "line \(error.line + (linesBefore ?? 0)), column \(error.column)"
                throw Invalid(
                    description: "\(place)\(linesBefore == nil ? " of the body" : ""): the body is no JSON: "
                        + "\(error.message); correct it, or make it `text:` in the cassette"
                )
            }
            // JSON that a program could have written on one line is meant as it is; any other plays as the old body did.
            let line = content.last == ASCII.lineFeed ? Array(content.dropLast()) : content
            let isLine = body.form == .json && !line.contains(ASCII.lineFeed)
            let new = isLine ? line.withUnsafeBytes { JSONLayout.readable($0) } : nil
            let layout = new?.layout ?? (body.form == .json ? body.layout ?? self.readable(body)?.layout : nil)
            take.body = .inline(
                InlineBody(form: body.form, content: new?.text ?? content, layout: layout, coding: coding)
            )
        } else {
            let isJSON = content.withUnsafeBytes { JSONLayout.readable($0) } != nil
            take.body = .inline(InlineBody(form: isJSON ? .json : .text, content: content, coding: coding))
        }
        take.pieces = nil
        guard let index = take.headers.firstIndex(where: { $0.isNamed("content-length") }) else { return }
        if take.body.coding != nil {
            take.headers.remove(at: index)
        } else if take.headers[index].value == "\(old.decodedSize)" {
            take.headers[index].value = "\(take.body.decodedSize)"
        }
    }
}
