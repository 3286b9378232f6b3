import TapedeckProtobuf

extension CompiledMatcher {
    /// All conditions that must hold, those of `all` included.
    var flat: [Condition] { self.conditions + self.all.flatMap(\.flat) }

    var state: [StateEntry] {
        self.flat.compactMap { if case .state(let entry) = $0 { entry } else { nil } }
    }
}

extension Condition {
    var isAboutURL: Bool {
        switch self {
        case .query, .onlyQuery, .host: true
        default: false
        }
    }

    var identity: BodyMatcher.Identity? {
        if case .body(let identity, _) = self { identity } else { nil }
    }

    /// Returns true if it plainly cannot hold together with `other`.
    func excludes(_ other: Condition, scratch: PatternScratch) -> Bool {
        switch (self, other) {
        case (.query(let one), .query(let other)), (.cookie(let one), .cookie(let other)):
            one.name == other.name && one.value.excludes(other.value, scratch)
        case (.header(let one), .header(let other)):
            ASCII.equalsIgnoringCase(one.name, other.name) && one.value.excludes(other.value, scratch)
        case (.body(let one, _), .body(let other, _)): one != other
        case (.canonical(let one, let ignored), .canonical(let other, let others)):
            ignored == others && one != other
        case (.text(let one), .text(let other)): one.excludes(other, scratch)
        case (.jsonPath(let path, .value(let one)), .jsonPath(let otherPath, .value(let other))):
            path == otherPath && one.excludes(other, scratch)
        case (.graphQL(let one?, _), .graphQL(let other?, _)): one.excludes(other, scratch)
        case (.form(let fields, _), .form(let others, _)):
            fields.contains { field in
                others.contains { $0.name == field.name && $0.value.excludes(field.value, scratch) }
            }
        case (.messages(let one), .messages(let other)): one.excludes(other, scratch: scratch)
        case (.proto(let one), .proto(let other)):
            one.ignoredPaths == other.ignoredPaths && !one.matches(other.message.bytes)
        case (.json, .form), (.form, .json), (.jsonPath, .form), (.form, .jsonPath): true
        default: false
        }
    }
}
