/// Bodies that are compared as a whole: by the terms of their type.
extension MatcherReport {
    /// No further difference is listed after this many.
    private static var differenceLimit: Int { 5 }

    /// The places where a body differs from one in its canonical spelling.
    func whole(
        _ wanted: [UInt8],
        ignoring ignored: IgnoredFields,
        judged: RequestFacts,
        shown: RequestFacts
    ) -> [MatchPart] {
        let spelling = shown.canonicalBody(ignoring: ignored)
        let parts = CanonicalBody.parts(wanted)
        if parts != nil, judged.multipart == nil {
            let type = shown.headerValues("content-type").first.map { SecretMasking.short($0) }
            return [MatchPart(name: "content-type", wanted: "a multipart type", came: type, isMet: false)]
        }
        if let body = judged.multipart, let parts {
            let found = Self.compare(parts, body, ignored)
            if !found.isEmpty { return found }
        } else if spelling != nil, shown.fields.mediaType == FormBody.mediaType,
            wanted.contains(ASCII.equals) || shown.bodyBytes?.contains(ASCII.equals) ?? false
        {
            let found = Self.fields(wanted, shown, ignored)
            if !found.isEmpty { return found }
        }
        let came = spelling ?? shown.bodyBytes ?? []
        // Only the placeholders of secrets are shown alike.
        guard let difference = TextDifference(wanted, came) ?? TextDifference(wanted, judged.bodyBytes ?? []) else {
            return [MatchPart(name: "body", wanted: "another secret", came: "this one", isMet: false)]
        }
        return [Self.text("body", difference)]
    }

    private static func text(_ name: String, _ difference: TextDifference, ignore: IgnoredPlace? = nil) -> MatchPart {
        let hides = SecretMasking.conceals(difference.wanted, false) || SecretMasking.conceals(difference.came, false)
        return MatchPart(
            name: name,
            wanted: hides ? "another text, not shown" : SecretMasking.visible(difference.wanted),
            came: hides ? "(not shown)" : SecretMasking.visible(difference.came),
            isMet: false,
            ignore: ignore
        )
    }

    // MARK: Forms

    private static func fields(
        _ wanted: [UInt8],
        _ shown: RequestFacts,
        _ ignored: IgnoredFields
    ) -> [MatchPart] {
        func grouped(_ form: [(name: String, value: String)]) -> [String: [String]] {
            Dictionary(grouping: form.filter { !ignored.fields.contains($0.name) }, by: \.name)
                .mapValues { $0.map(\.value) }
        }
        let tape = grouped(wanted.withUnsafeBytes { FormBody.parse($0) })
        let came = grouped(shown.form)
        let names = Set(tape.keys).union(came.keys).filter { tape[$0] != came[$0] }.sorted()
        return names.prefix(self.differenceLimit + 1).map { name in
            MatchPart(
                name: "form \(SecretMasking.short(name))",
                wanted: tape[name].map { SecretMasking.shown($0, name: name) } ?? "none",
                came: came[name].map { SecretMasking.shown($0, name: name) },
                isMet: false,
                ignore: IgnoredPlace(.form, name)
            )
        }
        .limited(to: self.differenceLimit)
    }

    // MARK: Multipart

    private static func compare(
        _ wanted: MultipartBody,
        _ came: MultipartBody,
        _ ignored: IgnoredFields
    ) -> [MatchPart] {
        func named(_ body: MultipartBody) -> [(name: String, part: MultipartBody.Part)] {
            var counts: [String: Int] = [:]
            return body.parts.enumerated().compactMap { index, part in
                guard let name = part.name else { return ("\(index + 1)", part) }
                guard !ignored.parts.contains(name) else { return nil }
                counts[name, default: 0] += 1
                return (counts[name] == 1 ? name : "\(name) (\(counts[name] ?? 0))", part)
            }
        }
        let (tape, request) = (named(wanted), named(came))
        let wanting = tape.flatMap { name, part in
            self.compare(part, request.first { $0.name == name }?.part, name: name)
        }
        let unexpected = request.filter { name, _ in !tape.contains { $0.name == name } }.map { name, part in
            MatchPart(
                name: "part \(SecretMasking.short(name))",
                wanted: nil,
                came: self.size(part),
                isMet: false,
                ignore: part.name.map { IgnoredPlace(.parts, $0) }
            )
        }
        return (wanting + unexpected).limited(to: self.differenceLimit)
    }

    private static func compare(
        _ wanted: MultipartBody.Part,
        _ came: MultipartBody.Part?,
        name: String
    ) -> [MatchPart] {
        let ignore = wanted.name.map { IgnoredPlace(.parts, $0) }
        func differing(_ place: String, _ wanted: String, _ came: String?) -> MatchPart {
            MatchPart(name: place, wanted: wanted, came: came, isMet: false, ignore: ignore)
        }
        guard let came else { return [differing("part \(name)", self.size(wanted), nil)] }
        var found: [MatchPart] = []
        if wanted.filename != came.filename {
            let filename = came.filename.map { SecretMasking.short($0) }
            found.append(differing("filename of part \(name)", wanted.filename ?? "none", filename))
        }
        let types = [wanted, came].map { $0.contentType ?? "text/plain" }
        if types[0] != types[1] { found.append(differing("type of part \(name)", types[0], types[1])) }
        let (one, other) = (self.content(wanted), self.content(came))
        guard one != other else { return found }
        let isText = [wanted, came].allSatisfy { String(validating: $0.content, as: UTF8.self) != nil }
        if !isText {
            let isSameSize = wanted.content.count == came.content.count
            let size = isSameSize ? "other bytes, \(self.size(wanted))" : self.size(wanted)
            found.append(differing("part \(name)", size, self.size(came)))
        } else if SecretMasking.hides(name) {
            found.append(differing("part \(name)", "another value, not shown", "(not shown)"))
        } else if let difference = TextDifference(one, other) {
            found.append(self.text("part \(name)", difference, ignore: ignore))
        }
        return found
    }

    private static func size(_ part: MultipartBody.Part) -> String {
        part.content.count == 1 ? "1 byte" : "\(part.content.count) bytes"
    }

    private static func content(_ part: MultipartBody.Part) -> [UInt8] {
        part.contentType.flatMap { CanonicalBody.of(part.content, [HeaderField("content-type", $0)]) } ?? part.content
    }

    // MARK: XML

    func xml(_ expected: XMLExpectation, judged: RequestFacts, shown: RequestFacts) -> [MatchPart] {
        guard let root = judged.xml else {
            return [MatchPart(name: "body", wanted: "XML", came: "no XML", isMet: false)]
        }
        let texts = shown.xml.map { expected.differences($0, limit: .max) } ?? []
        return expected.differences(root, limit: Self.differenceLimit + 1).map { difference in
            let hides = SecretMasking.hides(String(difference.path.split(separator: "/").last ?? ""))
            let text = texts.first { $0.path == difference.path }
            let pair = TextDifference(
                ByteText.bytes(of: difference.wanted ?? ""),
                ByteText.bytes(of: text?.came ?? difference.came ?? "")
            )
            let wanted = difference.wanted.map {
                hides ? "another value, not shown" : SecretMasking.visible(pair?.wanted ?? $0)
            }
            let came = difference.came.map { _ in
                hides || text == nil ? "(not shown)" : pair.map { SecretMasking.visible($0.came) } ?? "(not shown)"
            }
            return MatchPart(
                name: "body \(difference.path)",
                wanted: wanted ?? "nothing",
                came: came,
                isMet: false,
                ignore: IgnoredPlace(.xml, difference.path.replacing(/\[\d+\]/, with: ""))
            )
        }
        .limited(to: Self.differenceLimit)
    }
}
