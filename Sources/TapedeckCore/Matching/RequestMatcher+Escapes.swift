import TapedeckProtobuf

extension RequestMatcher {
    /// The matcher with live text in place of its escapes, for conditions without placeholders, which are compared with
    /// the request as received. The nested matchers stay unchanged.
    var unescaped: RequestMatcher {
        var matcher = self
        switch self.url {
        case .exact(let url):
            matcher.url = .exact(AbsoluteURL(origin: url.origin, target: PlaceholderEscape.unescaped(url.target)))
        case .exactPath(let target): matcher.url = .exactPath(PlaceholderEscape.unescaped(target))
        case .any, .template, .pattern: break
        }
        matcher.query = self.query.map(\.unescaped)
        matcher.headers = self.headers.map(\.unescaped)
        matcher.cookies = self.cookies.map(\.unescaped)
        matcher.body = self.body.map(\.unescaped)
        return matcher
    }
}

extension RequestMatcher.Field {
    fileprivate var unescaped: RequestMatcher.Field { RequestMatcher.Field(self.name, self.value.unescaped) }
}

extension ValueMatcher {
    fileprivate var unescaped: ValueMatcher {
        switch self {
        case .equals(let text): .equals(PlaceholderEscape.unescaped(text))
        case .values(let texts): .values(texts.map { PlaceholderEscape.unescaped($0) })
        case .valuesInAnyOrder(let texts): .valuesInAnyOrder(texts.map { PlaceholderEscape.unescaped($0) })
        case .oneOf(let texts): .oneOf(texts.map { PlaceholderEscape.unescaped($0) })
        case .contains(let text): .contains(PlaceholderEscape.unescaped(text))
        case .prefix(let text): .prefix(PlaceholderEscape.unescaped(text))
        case .suffix(let text): .suffix(PlaceholderEscape.unescaped(text))
        case .not(let matcher): .not(matcher.unescaped)
        case .all(let matchers): .all(matchers.map(\.unescaped))
        case .pattern, .greaterThan, .lessThan, .present, .absent: self
        }
    }
}

extension JSONTest {
    fileprivate var unescaped: JSONTest {
        switch self {
        case .value(let matcher): .value(matcher.unescaped)
        case .all(let tests): .all(tests.map(\.unescaped))
        case .count, .type: self
        }
    }
}

extension BodyMatcher {
    fileprivate var unescaped: BodyMatcher {
        switch self {
        case .bytes(let body): .bytes(body.unescaped)
        case .json(let body, let comparison): .json(body.unescaped, comparison)
        case .jsonSubset(let body): .jsonSubset(body.unescaped)
        case .xml(let body, let ignored): .xml(body.unescaped, ignoring: ignored)
        case .jsonPath(let path, let test): .jsonPath(path, test.unescaped)
        case .sha256: self
        case .text(let matcher): .text(matcher.unescaped)
        case .form(let fields, let refusesOthers): .form(fields.map(\.unescaped), refusesOthers: refusesOthers)
        case .multipart(let parts): .multipart(parts.map(\.unescaped))
        case .graphQL(let operation, let variables):
            .graphQL(operation: operation?.unescaped, variables: variables?.unescaped)
        case .messages(let matcher): .messages(matcher.unescaped)
        case .proto(let condition): .proto(condition.unescaped)
        }
    }
}

extension BodyMatcher.Part {
    fileprivate var unescaped: BodyMatcher.Part {
        BodyMatcher.Part(
            name: self.name,
            content: self.content.unescaped,
            filename: self.filename?.unescaped,
            contentType: self.contentType?.unescaped
        )
    }
}

extension MessagesMatcher {
    fileprivate var unescaped: MessagesMatcher {
        var matcher = self
        matcher.items = self.items.map { $0.map(\.unescaped) }
        return matcher
    }
}

extension ProtobufCondition {
    /// The condition without escapes; itself where it has none.
    fileprivate var unescaped: ProtobufCondition {
        var condition = self
        _ = condition.message.replaceTexts { _, text in
            let unescaped = PlaceholderEscape.unescaped(text)
            return unescaped == text ? nil : unescaped
        }
        return condition
    }
}

extension InlineBody {
    /// The body decoded, without escapes; itself if it has none.
    fileprivate var unescaped: InlineBody {
        let content = self.decoded
        guard content.withUnsafeBytes({ !PlaceholderEscape.places(in: $0, onlyEscaped: true).isEmpty }) else {
            return self
        }
        return InlineBody(form: self.form, content: PlaceholderEscape.unescaped(content), coding: self.coding)
    }
}
