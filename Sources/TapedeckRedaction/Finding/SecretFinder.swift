import TapedeckCodings
import TapedeckCore

/// Finds the secrets of one exchange, request or text. Not Sendable: it holds the working memory of patterns.
final class SecretFinder {
    let rules: RedactionRules
    let vault: SecretVault
    /// True if only secrets of the vault are searched.
    let onlyKnown: Bool
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

    /// Returns the secrets in a text, in order, without overlaps.
    ///
    /// - Parameter more: secrets found in it by other means.
    func edits(
        in text: UnsafeRawBufferPointer,
        _ context: TextContext,
        with more: [SecretEdit] = []
    ) -> [SecretEdit] {
        guard text.count > 0, !self.onlyKnown || !self.vaultIsEmpty, self.isWithinLimit(text.count, context.depth)
        else {
            return more
        }
        var edits = more
        if !self.onlyKnown {
            var scanner = TextScanner(text, self.rules, context)
            scanner.run()
            edits += scanner.edits
            if context.kind != .binary {
                if self.rules.isOn("pii") { edits += PersonalData.edits(in: text) }
                for run in scanner.runs { edits += self.encoded(run, in: text, context) }
            }
            for (pattern, own) in self.rules.ownPatterns { edits += self.matches(of: pattern, own, in: text) }
        }
        if !self.vaultIsEmpty { edits += self.known(in: text, isBinary: context.kind == .binary) }
        if context.depth < TextContext.depthLimit, context.kind != .binary {
            for lines in WrappedBase64.ranges(in: text) { edits += self.wrapped(lines, in: text, context) }
            edits += self.inPercent(text, context)
            edits += self.inEscapes(text, context)
        }
        guard !edits.isEmpty else { return [] }
        var protected = SecretPlaceholder.mayBe(in: text) ? SecretPlaceholder.all(in: text).map(\.range) : []
        if context.isURL, let host = Self.host(of: text) {
            edits = edits.map { $0.behind(host, in: text) }
            // An exchange without its origin could not be kept.
            protected = ([0..<Self.schemeEnd(of: text), host] + protected).sorted { $0.lowerBound < $1.lowerBound }
        }
        return edits.resolved(in: text, protected: protected)
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

    private func known(in text: UnsafeRawBufferPointer, isBinary: Bool) -> [SecretEdit] {
        var edits: [SecretEdit] = []
        // A long run of base64 is decoded once, however many secrets are in it.
        var end = 0
        for hit in self.vault.hits(in: text, isBinary: isBinary)
        where hit.range.lowerBound >= end || hit.encoding == .raw {
            let secret = hit.secret
            if hit.encoding == .base64 {
                let edit = self.encodedRun(around: hit.range, in: text, secret)
                end = edit.range.upperBound
                edits.append(edit)
            } else {
                var edit = SecretEdit(range: hit.range, value: secret.value, name: secret.name, rule: "known")
                edit.known = secret.placeholder
                edits.append(edit)
            }
        }
        return edits
    }

    /// Returns the whole run of base64 that contains a secret: alone it is the secret in another form; a longer run is
    /// a secret itself.
    private func encodedRun(
        around range: Range<Int>,
        in text: UnsafeRawBufferPointer,
        _ secret: SecretVault.Secret
    ) -> SecretEdit {
        func named(_ run: Range<Int>) -> SecretEdit? {
            guard var edit = self.edit(run, in: text, holding: secret.value) else { return nil }
            edit.name = secret.name
            if edit.form != .raw { edit.known = secret.placeholder }
            return edit
        }
        // A slash may as well separate the parts of a path.
        let part = Self.run(around: range, in: text) { Self.isEncoded($0) && $0 != ASCII.slash }
        if let edit = named(part) { return edit }
        let whole = Self.run(around: part, in: text) { Self.isEncoded($0) }
        if let edit = named(whole) { return edit }
        return SecretEdit(range: whole, value: Array(text[whole]), name: secret.name, rule: "known")
    }

    private func edit(_ run: Range<Int>, in text: UnsafeRawBufferPointer, holding value: [UInt8]) -> SecretEdit? {
        let slice = text.slice(run)
        guard let decoded = Base64.decodeEither(slice) else { return nil }
        var edit = SecretEdit(range: run, value: decoded, name: "", rule: "known")
        if decoded == value, let form = Self.form(of: slice, value) {
            edit.form = form
            return edit
        }
        edit.value = Array(slice)
        return decoded.withUnsafeBytes { $0.range(of: value, from: 0) } == nil ? nil : edit
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

    /// The secrets in a run of base64: then the whole run is one.
    private func encoded(_ run: Range<Int>, in text: UnsafeRawBufferPointer, _ context: TextContext) -> [SecretEdit] {
        guard context.depth < TextContext.depthLimit else { return [] }
        if let edit = self.encodedRun(run, in: text, context) { return [edit] }
        // `name=BASE64`, and base64 as a part of a path.
        var edits: [SecretEdit] = []
        var start = run.lowerBound
        for index in run where text[index] == ASCII.slash || text[index] == ASCII.equals {
            if index - start >= 16 { edits += self.encodedRun(start..<index, in: text, context).map { [$0] } ?? [] }
            start = index + 1
        }
        if start > run.lowerBound, run.upperBound - start >= 16 {
            edits += self.encodedRun(start..<run.upperBound, in: text, context).map { [$0] } ?? []
        }
        return edits
    }

    private func encodedRun(
        _ run: Range<Int>,
        in text: UnsafeRawBufferPointer,
        _ context: TextContext
    ) -> SecretEdit? {
        var run = run
        let slice = text.slice(run)
        guard let start = Base64.decodeEither(slice.slice(0..<min(16, slice.count / 4 * 4))) else { return nil }
        let isGzip = start.starts(with: [0x1F, 0x8B, 0x08])
        guard isGzip || start.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else {
            return nil
        }
        guard var decoded = Base64.decodeEither(slice) else { return nil }
        if isGzip { decoded = (try? ContentCoder.decode(decoded, .gzip, limit: 1 << 20)) ?? [] }
        guard isGzip || BodyInspection.isText(decoded) else { return nil }
        let inner = decoded.withUnsafeBytes { self.edits(in: $0, context.inner($0)) }
        guard let first = inner.first else { return nil }
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
        return edit
    }

    /// If base64 broken into lines contains a secret, all of it becomes one.
    private func wrapped(_ lines: Range<Int>, in text: UnsafeRawBufferPointer, _ context: TextContext) -> [SecretEdit] {
        let joined = text[lines].filter { $0 > ASCII.space }
        let inner = joined.withUnsafeBytes { self.encodedRun(0..<joined.count, in: $0, context) }
        guard var edit = inner else { return [] }
        if edit.form != .raw { edit.parts = [SecretEdit.Part(value: edit.value, name: edit.name)] }
        edit.range = lines
        edit.value = Array(text[lines])
        edit.form = .raw
        edit.known = nil
        return [edit]
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
            index = max(index, region.upperBound)
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
            let isSame = text[source].elementsEqual(view.bytes[edit.range])
            edit.range = source
            guard !isSame else { return edit }
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
