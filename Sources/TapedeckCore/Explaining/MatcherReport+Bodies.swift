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
        if Self.parts(wanted) != nil, judged.multipart == nil {
            let type = shown.headerValues("content-type").first.map { SecretMasking.short($0) }
            return [MatchPart(name: "content-type", wanted: "a multipart type", came: type, isMet: false)]
        }
        if let body = judged.multipart, let parts = Self.parts(wanted) {
            let found = Self.compare(parts, body, ignored)
            if !found.isEmpty { return found }
        } else if spelling != nil, shown.isForm,
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
        return names.prefix(self.differenceLimit).map { name in
            func text(_ values: [String]?) -> String? {
                values.map { $0 == [""] ? "empty" : SecretMasking.shown($0.joined(separator: ", "), name: name) }
            }
            return MatchPart(
                name: "form \(SecretMasking.short(name))",
                wanted: text(tape[name]) ?? "none",
                came: text(came[name]),
                isMet: false,
                ignore: IgnoredPlace(.form, name)
            )
        }
    }

    // MARK: Multipart

    /// The parts of a body in its canonical spelling; `nil` for another body.
    private static func parts(_ spelling: [UInt8]) -> MultipartBody? {
        let type = "multipart/form-data; boundary=\(CanonicalBody.boundary)"
        return spelling.withUnsafeBytes { MultipartBody($0, contentType: type) }
    }

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
        var found: [MatchPart] = []
        for (name, part) in tape where found.count < self.differenceLimit {
            let ignore = part.name.map { IgnoredPlace(.parts, $0) }
            guard let other = request.first(where: { $0.name == name })?.part else {
                found.append(
                    MatchPart(name: "part \(name)", wanted: self.size(part), came: nil, isMet: false, ignore: ignore)
                )
                continue
            }
            if part.filename != other.filename {
                found.append(
                    MatchPart(
                        name: "filename of part \(name)",
                        wanted: part.filename ?? "none",
                        came: other.filename.map { SecretMasking.short($0) },
                        isMet: false,
                        ignore: ignore
                    )
                )
            }
            let types = [part, other].map { $0.contentType ?? "text/plain" }
            if types[0] != types[1] {
                found.append(
                    MatchPart(
                        name: "type of part \(name)",
                        wanted: types[0],
                        came: types[1],
                        isMet: false,
                        ignore: ignore
                    )
                )
            }
            guard self.content(part) != self.content(other) else { continue }
            let isText = [part, other].allSatisfy { String(validating: $0.content, as: UTF8.self) != nil }
            guard isText, let difference = TextDifference(self.content(part), self.content(other)) else {
                found.append(
                    MatchPart(
                        name: "part \(name)",
                        wanted: part.content.count == other.content.count
                            ? "other bytes, \(self.size(part))" : self.size(part),
                        came: self.size(other),
                        isMet: false,
                        ignore: ignore
                    )
                )
                continue
            }
            found.append(
                SecretMasking.hides(name)
                    ? MatchPart(
                        name: "part \(name)",
                        wanted: "another value, not shown",
                        came: "(not shown)",
                        isMet: false,
                        ignore: ignore
                    )
                    : self.text("part \(name)", difference, ignore: ignore)
            )
        }
        for (name, part) in request where !tape.contains(where: { $0.name == name }) {
            guard found.count < self.differenceLimit else { break }
            found.append(
                MatchPart(
                    name: "part \(SecretMasking.short(name))",
                    wanted: "none",
                    came: self.size(part),
                    isMet: false,
                    ignore: part.name.map { IgnoredPlace(.parts, $0) }
                )
            )
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
        return expected.differences(root, limit: Self.differenceLimit).map { difference in
            let hides = SecretMasking.hides(String(difference.path.split(separator: "/").last ?? ""))
            let text = texts.first { $0.path == difference.path }
            let pair = TextDifference(
                ByteText.bytes(of: difference.wanted ?? ""),
                ByteText.bytes(of: text?.came ?? difference.came ?? "")
            )
            return MatchPart(
                name: "body \(difference.path)",
                wanted: difference.wanted == nil
                    ? "nothing"
                    : hides
                        ? "another value, not shown" : SecretMasking.visible(pair?.wanted ?? difference.wanted ?? ""),
                came: difference.came == nil
                    ? nil
                    : hides || text == nil
                        ? "(not shown)" : pair.map { SecretMasking.visible($0.came) } ?? "(not shown)",
                isMet: false,
                ignore: IgnoredPlace(.xml, difference.path.replacing(/\[\d+\]/, with: ""))
            )
        }
    }
}

extension RequestFacts {
    /// True if the body says that it is a form, or is of no other type with a canonical spelling.
    fileprivate var isForm: Bool {
        self.headerValues("content-type").first
            .map { ASCII.lowercased($0).hasPrefix("application/x-www-form-urlencoded") } ?? false
    }
}
