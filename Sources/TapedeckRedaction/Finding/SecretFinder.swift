import TapedeckCodings
import TapedeckCore

/// Finds the secrets of one exchange, request or text. Not Sendable: it holds the working memory of patterns.
final class SecretFinder {
    let rules: RedactionRules
    let vault: SecretVault
    /// True if only secrets of the vault are searched.
    let onlyKnown: Bool
    /// The files that were found, which stay as they are; `nil` if they are not collected. See ``ArchiveFile``.
    var files: [[UInt8]]?
    /// The first rule that could not be applied.
    private(set) var failure: RedactionFailure?

    private var scratch: PatternScratch?
    private let vaultIsEmpty: Bool
    /// The number of bytes that were searched as they are, and that were searched decoded.
    private var plainSize = 0
    private var codedSize = 0
    /// The maximum ratio of decoded bytes to search, relative to the size of the text.
    private static let codedLimit = 8

    init(_ rules: RedactionRules, _ vault: SecretVault, onlyKnown: Bool) {
        self.rules = rules
        self.vault = vault
        self.onlyKnown = onlyKnown
        self.vaultIsEmpty = vault.isEmpty
    }

    /// Returns the secrets in a text, in order, without overlaps. A file has none, as it stays.
    ///
    /// - Parameter more: secrets found in it by other means.
    func edits(
        in text: UnsafeRawBufferPointer,
        _ context: TextContext,
        with more: [SecretEdit] = []
    ) -> [SecretEdit] {
        guard !ArchiveFile.isOne(text) else {
            self.files?.append(Array(text))
            return []
        }
        return self.editsInFile(text, context, with: more)
    }

    /// Returns the secrets in a text, which may be a file.
    func editsInFile(
        _ text: UnsafeRawBufferPointer,
        _ context: TextContext,
        with more: [SecretEdit] = []
    ) -> [SecretEdit] {
        guard text.count > 0, !self.onlyKnown || !self.vaultIsEmpty, self.isWithinLimit(text.count, context.depth)
        else {
            return more
        }
        var context = context
        if context.isRequest, text.count > self.rules.matchedBodyLimit { context.leavesMachine = true }
        var edits = more
        // The ranges of base64 in lines that hold secrets or are files: none of their lines is searched by itself.
        var wrapped: [Range<Int>] = []
        if context.depth < TextContext.depthLimit, context.kind != .binary {
            for lines in WrappedBase64.ranges(in: text) {
                let found = self.wrapped(lines, in: text, context)
                if !found.isEmpty { wrapped.append(lines) }
                edits += found
            }
        }
        if !self.onlyKnown {
            var scanner = TextScanner(text, self.rules, context)
            scanner.run()
            edits += scanner.edits
            if context.kind != .binary {
                if self.rules.isOn("pii") { edits += PersonalData.edits(in: text) }
                for run in scanner.runs where !wrapped.contains(where: { $0.contains(run.lowerBound) }) {
                    edits += self.encoded(run, in: text, context)
                }
            }
            for (pattern, own) in self.rules.ownPatterns { edits += self.matches(of: pattern, own, in: text) }
        }
        if !self.vaultIsEmpty {
            edits += self.known(in: text, context, except: wrapped)
        }
        if context.depth < TextContext.depthLimit, context.kind != .binary {
            edits += self.inPercent(text, context)
            edits += self.inEscapes(text, context)
        }
        guard !edits.isEmpty else { return [] }
        let files: [SecretEdit]
        (edits, files) = edits.outsideFiles()
        edits = edits.map { $0.withoutID(in: text) }
        var protected = SecretPlaceholder.mayBe(in: text) ? SecretPlaceholder.all(in: text).map(\.range) : []
        if context.isURL, let host = Self.host(of: text) {
            edits = edits.map { $0.behind(host, in: text) }
            // An exchange without its origin could not be kept.
            protected = ([0..<Self.schemeEnd(of: text), host] + protected).sorted { $0.lowerBound < $1.lowerBound }
        }
        let resolved = edits.resolved(in: text, protected: protected)
        // The text around a decoded one keeps them, too.
        return context.depth > 0 ? resolved + files : resolved
    }

    /// The end of `https://` at the beginning of a whole URL; 0 for any other text.
    private static func schemeEnd(of text: UnsafeRawBufferPointer) -> Int {
        ["http://", "https://"].first { text.starts(with: $0.utf8) }?.utf8.count ?? 0
    }

    /// The place of host and port of a whole URL; `nil` for any other text. A user with a password may be before it.
    private static func host(of text: UnsafeRawBufferPointer) -> Range<Int>? {
        let start = self.schemeEnd(of: text)
        guard start > 0 else { return nil }
        let end = text[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.count
        let host = text[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        return host < end ? host..<end : nil
    }

    /// Counts what is searched. Codings within codings must not make a small body a day's work.
    private func isWithinLimit(_ size: Int, _ depth: Int) -> Bool {
        if depth == 0 {
            self.plainSize += size
            return true
        }
        self.codedSize += size
        guard self.codedSize > self.plainSize * Self.codedLimit + (1 << 20) else { return true }
        self.failure = self.failure ?? RedactionFailure(.codings)
        return false
    }

    // MARK: Known secrets

    /// - Parameter wrapped: where base64 has been searched already.
    private func known(
        in text: UnsafeRawBufferPointer,
        _ context: TextContext,
        except wrapped: [Range<Int>]
    ) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        // A long run of base64 is decoded once, however many secrets are in it.
        var end = 0
        var run = 0..<0
        var isFile = false
        for hit in self.vault.hits(in: text, isBinary: context.kind == .binary)
        where hit.range.lowerBound >= end || hit.encoding == .raw {
            let secret = hit.secret
            if secret.machine != nil, context.leavesMachine { continue }
            if hit.encoding == .base64, wrapped.contains(where: { $0.contains(hit.range.lowerBound) }) { continue }
            if !run.contains(hit.range.lowerBound) {
                run = Self.run(around: hit.range, in: text) { Self.isEncoded($0) }
                let file = self.file(run, in: text)
                isFile = file != nil
                if let file { edits.append(file) }
            }
            if isFile, run.contains(hit.range.lowerBound) { continue }
            if hit.encoding == .base64 {
                let found = self.edits(around: hit.range, in: text, secret, run)
                end = found.run.upperBound
                edits += found.edits
            } else {
                var edit = SecretEdit(range: hit.range, value: secret.value, name: secret.name, rule: "known")
                edit.known = secret.placeholder
                edit.machine = secret.machine
                edits.append(edit)
            }
        }
        return edits
    }

    /// The run of base64 that contains a known secret, and its edits: alone it is the secret in another form, of a text in base64
    /// the place that holds it is, any other longer run is a secret itself.
    private func edits(
        around range: Range<Int>,
        in text: UnsafeRawBufferPointer,
        _ secret: SecretVault.Secret,
        _ whole: Range<Int>
    ) -> (run: Range<Int>, edits: [SecretEdit]) {
        // A slash may as well separate the parts of a path.
        let part = Self.run(around: range, in: text) { Self.isEncoded($0) && $0 != ASCII.slash }
        if let edits = self.edits(part, in: text, holding: secret) { return (part, edits) }
        if let edits = self.edits(whole, in: text, holding: secret) { return (whole, edits) }
        return (whole, [SecretEdit(range: whole, value: Array(text[whole]), name: secret.name, rule: "known")])
    }

    private func edits(
        _ run: Range<Int>,
        in text: UnsafeRawBufferPointer,
        holding secret: SecretVault.Secret
    ) -> [SecretEdit]? {
        let slice = text.slice(run)
        guard let decoded = Base64.decodeEither(slice) else { return nil }
        if decoded == secret.value, let form = Self.form(of: slice, secret.value) {
            var edit = SecretEdit(range: run, value: decoded, name: secret.name, rule: "known")
            edit.form = form
            edit.known = secret.placeholder
            return [edit]
        }
        var places: [SecretEdit] = []
        decoded.withUnsafeBytes { bytes in
            var index = 0
            while let place = bytes.range(of: secret.value, from: index) {
                places.append(SecretEdit(range: place, value: secret.value, name: secret.name, rule: "known"))
                index = place.upperBound
            }
        }
        guard !places.isEmpty else { return nil }
        if decoded.count >= Self.shortestText, BodyInspection.isText(decoded),
            let groups = self.groups(of: places, run, text, decoded)
        {
            return groups
        }
        return [SecretEdit(range: run, value: Array(slice), name: secret.name, rule: "known")]
    }

    /// The edit for a run of base64 that is a file; `nil` for any other.
    private func file(_ run: Range<Int>, in text: UnsafeRawBufferPointer) -> SecretEdit? {
        let slice = text.slice(run)
        func isOne(_ count: Int) -> Bool {
            let start = Base64.decodeEither(slice.slice(0..<min(count, slice.count / 4 * 4)))
            return start?.withUnsafeBytes { ArchiveFile.isOne($0) } ?? false
        }
        // Only the longer ones may be tar archives, whose magic is behind the first name.
        guard slice.count >= 16, ArchiveFile.mayBegin(inBase64: slice),
            isOne(16) || slice.count >= ArchiveFile.encodedTarSize && isOne(ArchiveFile.encodedTarSize)
        else { return nil }
        if self.files != nil { self.files?.append(Base64.decodeEither(slice) ?? []) }
        return SecretEdit(file: run)
    }

    private static func form(of text: UnsafeRawBufferPointer, _ value: [UInt8]) -> SecretPlaceholder.Form? {
        if Base64.encode(value).elementsEqual(text) { return .base64 }
        return Base64.encodeURL(value).elementsEqual(text) ? .base64url : nil
    }

    private static func run(
        around range: Range<Int>,
        in text: UnsafeRawBufferPointer,
        _ isPart: (UInt8) -> Bool
    ) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, isPart(text[start - 1]) { start -= 1 }
        // The digits of `%2B` are no part of it.
        if start > 0, text[start - 1] == ASCII.percent, start + 2 <= range.lowerBound { start += 2 }
        while end < text.count, isPart(text[end]) { end += 1 }
        var padding = 0
        while end < text.count, padding < 2, text[end] == ASCII.equals {
            end += 1
            padding += 1
        }
        return start..<end
    }

    private static func isEncoded(_ byte: UInt8) -> Bool {
        ByteClass.url.contains(byte) || byte == 0x2B || byte == ASCII.slash
    }

    // MARK: Codings within a text

    /// The secrets in a run of base64.
    private func encoded(_ run: Range<Int>, in text: UnsafeRawBufferPointer, _ context: TextContext) -> [SecretEdit] {
        guard context.depth < TextContext.depthLimit else { return [] }
        let found = self.encodedRun(run, in: text, context)
        guard found.isEmpty else { return found }
        // `name=BASE64`, and base64 as a part of a path.
        var edits: [SecretEdit] = []
        var start = run.lowerBound
        for index in run where text[index] == ASCII.slash || text[index] == ASCII.equals {
            if index - start >= 16 { edits += self.encodedRun(start..<index, in: text, context) }
            start = index + 1
            // The slashes behind it are its own.
            if let file = self.file(start..<run.upperBound, in: text) { return edits + [file] }
        }
        if start > run.lowerBound, run.upperBound - start >= 16 {
            edits += self.encodedRun(start..<run.upperBound, in: text, context)
        }
        return edits
    }

    /// The fewest bytes of a text in base64 of which what is no secret stays.
    private static let shortestText = 64

    /// The secrets in a run of base64: of a text the places that hold them, else all of it as one.
    private func encodedRun(
        _ run: Range<Int>,
        in text: UnsafeRawBufferPointer,
        _ context: TextContext
    ) -> [SecretEdit] {
        var run = run
        let slice = text.slice(run)
        guard let start = Base64.decodeEither(slice.slice(0..<min(16, slice.count / 4 * 4))) else { return [] }
        if let file = self.file(run, in: text) { return [file] }
        guard start.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
            return []
        }
        guard let decoded = Base64.decodeEither(slice) else { return [] }
        guard BodyInspection.isText(decoded) else { return [] }
        let found = decoded.withUnsafeBytes { bytes -> [SecretEdit] in
            var context = context.inner(bytes)
            context.leavesMachine = true
            return self.edits(in: bytes, context)
        }
        let (inner, files) = found.outsideFiles()
        guard let first = inner.first else { return files.isEmpty ? [] : [SecretEdit(file: run)] }
        let isWhole = first.range.lowerBound == 0 && decoded[first.range.upperBound...].allSatisfy { $0 <= ASCII.space }
        if inner.count == 1, isWhole, first.form == .raw, PrivateKeyShape(of: first.value) != nil,
            let form = Self.form(of: text.slice(run), decoded)
        {
            var edit = SecretEdit(range: run, value: decoded, name: first.name, rule: first.rule)
            edit.form = form
            edit.parts = [SecretEdit.Part(value: first.value, name: first.name)]
            return [edit]
        }
        if decoded.count >= Self.shortestText, let parts = self.groups(of: inner, run, text, decoded) {
            return parts
        }
        // The padding belongs to it.
        while run.upperBound < text.count, run.count % 4 != 0, text[run.upperBound] == ASCII.equals {
            run = run.lowerBound..<(run.upperBound + 1)
        }
        var edit = SecretEdit(range: run, value: Array(text[run]), name: first.name, rule: first.rule)
        if inner.count == 1, first.range == 0..<decoded.count, first.form == .raw,
            let form = Self.form(of: text.slice(run), first.value)
        {
            edit.value = first.value
            edit.form = form
            edit.known = first.known
        }
        edit.parts = inner.filter { $0.known == nil }.map { SecretEdit.Part(value: $0.value, name: $0.name) }
        return [edit]
    }

    /// The groups of four characters (RFC 4648 section 4) that hold the secrets of a decoded text, each with what it has of the
    /// text beside its secret; `nil` if one has no such form.
    private func groups(
        of secrets: [SecretEdit],
        _ run: Range<Int>,
        _ text: UnsafeRawBufferPointer,
        _ decoded: [UInt8]
    ) -> [SecretEdit]? {
        var edits: [SecretEdit] = []
        for secret in secrets {
            var (first, end) = (secret.range.lowerBound / 3, (secret.range.upperBound + 2) / 3)
            // A character is not cut.
            while first > 0, decoded[first * 3] & 0xC0 == 0x80 { first -= 1 }
            while end * 3 < decoded.count, decoded[end * 3] & 0xC0 == 0x80 { end += 1 }
            let place = (run.lowerBound + first * 4)..<min(run.lowerBound + end * 4, run.upperBound)
            let bytes = (first * 3)..<min(end * 3, decoded.count)
            let value = Array(decoded[bytes])
            guard secret.form == .raw, let form = Self.form(of: text.slice(place), value) else { return nil }
            var edit = SecretEdit(range: place, value: value, name: secret.name, rule: secret.rule)
            edit.form = form
            let frame = SecretFrame(
                start: secret.range.lowerBound - bytes.lowerBound,
                end: bytes.upperBound - secret.range.upperBound
            )
            // The shape, a text, has the bytes around it.
            guard String(validating: value.prefix(frame.start), as: UTF8.self) != nil,
                String(validating: value.suffix(frame.end), as: UTF8.self) != nil
            else { return nil }
            edit.frame = frame
            if value == secret.value { edit.known = secret.known } else { edit.certainty = .part }
            edit.parts = [SecretEdit.Part(value: secret.value, name: secret.name)]
            edits.append(edit)
        }
        return edits
    }

    /// The secrets in base64 broken into lines: the places that hold them, line by line, or all of it as one.
    private func wrapped(_ lines: Range<Int>, in text: UnsafeRawBufferPointer, _ context: TextContext) -> [SecretEdit] {
        let joined = text[lines].filter { $0 > ASCII.space }
        let inner = joined.withUnsafeBytes { self.encodedRun(0..<joined.count, in: $0, context) }
        guard var edit = inner.first else { return [] }
        if edit.isFile { return [SecretEdit(file: lines)] }
        if edit.range != 0..<joined.count { return inner.flatMap { Self.unjoined($0, lines, in: text) } }
        if edit.form != .raw { edit.parts = [SecretEdit.Part(value: edit.value, name: edit.name)] }
        edit.range = lines
        edit.value = Array(text[lines])
        edit.form = .raw
        edit.known = nil
        return [edit]
    }

    /// An edit of base64 without its line ends, as edits of the lines.
    private static func unjoined(
        _ edit: SecretEdit,
        _ lines: Range<Int>,
        in text: UnsafeRawBufferPointer
    ) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var number = 0
        var start: Int?
        func end(_ index: Int) {
            guard let begin = start else { return }
            start = nil
            let slice = text.slice(begin..<index)
            guard let value = Base64.decodeEither(slice), let form = Self.form(of: slice, value) else {
                edits.append(SecretEdit(range: begin..<index, value: Array(slice), name: edit.name, rule: edit.rule))
                return
            }
            var piece = SecretEdit(range: begin..<index, value: value, name: edit.name, rule: edit.rule)
            piece.form = form
            let isFirst = edits.isEmpty
            let isLast = number == edit.range.upperBound
            piece.frame = edit.frame.map { SecretFrame(start: isFirst ? $0.start : 0, end: isLast ? $0.end : 0) }
            if isFirst, isLast {
                (piece.known, piece.parts, piece.certainty) = (edit.known, edit.parts, edit.certainty)
            } else {
                piece.certainty = .part
                if isFirst { piece.parts = edit.parts }
            }
            edits.append(piece)
        }
        for index in lines {
            guard text[index] > ASCII.space else {
                end(index)
                continue
            }
            if number == edit.range.upperBound { break }
            if number >= edit.range.lowerBound, start == nil { start = index }
            number += 1
            if number == edit.range.upperBound { end(index + 1) }
        }
        end(lines.upperBound)
        return edits
    }

    /// Returns the secrets that are visible once percent-encoding is decoded.
    private func inPercent(_ text: UnsafeRawBufferPointer, _ context: TextContext) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var index = 0
        while let percent = text.index(of: ASCII.percent, from: index) {
            index = percent + 1
            guard percent + 2 < text.count, ASCII.hexValue(text[percent + 1]) != nil,
                ASCII.hexValue(text[percent + 2]) != nil
            else { continue }
            let region = Self.run(around: percent..<(percent + 3), in: text) { byte in
                byte > ASCII.space && byte != ASCII.quote && byte != 0x3C && byte != 0x3E && byte != ASCII.backslash
            }
            let view = DecodedText(percent: text, region, plusIsSpace: context.isForm)
            edits += self.edits(in: view, of: text, .percent, context)
            if context.isURL { edits += self.inParameters(text, region, context) }
            index = max(index, region.upperBound)
        }
        return edits
    }

    /// The secrets in the values of parameters that are texts of their own, such as GraphQL in the query of a GET.
    private func inParameters(
        _ text: UnsafeRawBufferPointer,
        _ region: Range<Int>,
        _ context: TextContext
    ) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var index = region.lowerBound
        while let equals = text.index(of: ASCII.equals, from: index), equals < region.upperBound {
            let start = equals + 1
            let end = text[start..<region.upperBound].firstIndex { $0 == ASCII.ampersand || $0 == ASCII.hash }
            let value = start..<(end ?? region.upperBound)
            index = value.upperBound
            guard text[value].contains(ASCII.percent) else { continue }
            let view = DecodedText(percent: text, value, plusIsSpace: true)
            let kind = view.bytes.withUnsafeBytes { TextKind(of: $0, type: nil) }
            guard kind == .graphQL || kind == .json else { continue }
            edits += self.edits(in: view, of: text, .percent, context)
        }
        return edits
    }

    /// Returns the secrets that are visible once the escapes of JSON strings are decoded.
    private func inEscapes(_ text: UnsafeRawBufferPointer, _ context: TextContext) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        var index = 0
        while let backslash = text.index(of: ASCII.backslash, from: index) {
            var start = backslash
            while start > index, text[start - 1] != ASCII.quote { start -= 1 }
            var end = backslash
            while end < text.count, text[end] != ASCII.quote { end += text[end] == ASCII.backslash ? 2 : 1 }
            end = min(end, text.count)
            defer { index = end + 1 }
            // The shortest secret has four bytes.
            guard end - start >= 4 else { continue }
            let view = DecodedText(json: text, start..<end)
            edits += self.edits(in: view, of: text, .json, context)
        }
        return edits
    }

    private func edits(
        in view: DecodedText,
        of text: UnsafeRawBufferPointer,
        _ form: SecretPlaceholder.Form,
        _ context: TextContext
    ) -> [SecretEdit] {
        let inner = view.bytes.withUnsafeBytes { self.edits(in: $0, context.inner($0)) }
        return inner.compactMap { edit in
            var edit = edit
            let source = view.source(of: edit.range)
            if edit.isFile { return SecretEdit(file: source) }
            let isSame = text[source].elementsEqual(view.bytes[edit.range])
            edit.range = source
            guard !isSame else { return edit }
            // A folder must come back as it was, to the byte.
            if edit.machine != nil {
                guard edit.form == .raw, form.encode(edit.value).elementsEqual(text[source]) else { return nil }
            }
            // A number has no escapes, and one form cannot contain another.
            if edit.form == .raw {
                edit.form = form
            } else {
                edit.value = Array(text[source])
                edit.form = .raw
                edit.known = nil
            }
            return edit
        }
    }

    // MARK: Patterns of the user's

    /// The size of the part of a text that is searched at once, so that the work budget, which is per part, grows with
    /// the text.
    private static let windowSize = 64 << 10
    private static let windowOverlap = 16 << 10
    /// The number of bytes that lookbehinds may see.
    private static let windowLead = 256

    private func matches(
        of pattern: Pattern,
        _ own: RedactionRules.Own,
        in text: UnsafeRawBufferPointer
    ) -> [SecretEdit] {
        let scratch = self.scratch ?? PatternScratch()
        self.scratch = scratch
        var edits: [SecretEdit] = []
        var start = 0
        while start < text.count {
            let lead = max(0, start - Self.windowLead)
            let end = min(text.count, start + Self.windowSize + Self.windowOverlap)
            let limit = end == text.count ? end : start + Self.windowSize
            let window = text.slice(lead..<end)
            scratch.beginRequest()
            var next = limit
            search: while start < limit {
                switch pattern.first(in: window, from: start - lead, scratch: scratch) {
                case .absent: break search
                case .cutOff:
                    let why = "the pattern \(pattern.source) takes too long; make it simpler"
                    self.failure = self.failure ?? RedactionFailure(.rule(id: own.id, why: why))
                    return edits
                case .found(let match, let capture):
                    let range = capture ?? match
                    let place = (range.lowerBound + lead)..<(range.upperBound + lead)
                    // The next window sees it whole.
                    guard match.lowerBound + lead < limit else { break search }
                    start = max(start + 1, match.upperBound + lead)
                    next = max(next, start)
                    guard !place.isEmpty else { continue }
                    var edit = SecretEdit(range: place, value: Array(text[place]), name: own.name, rule: own.id)
                    if edit.value.starts(with: own.start) { edit.commonStart = own.start.count }
                    edits.append(edit)
                }
            }
            start = next
        }
        return edits
    }
}
