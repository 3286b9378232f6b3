/// All the answers to one kind of request.
package struct ResponseSet: Sendable, Equatable {
    /// Unique within its cassette.
    package var name: String
    package var request: RequestMatcher
    /// Never empty; the first is the default.
    package var variants: [Variant]

    package init(name: String, request: RequestMatcher, variants: [Variant]) {
        self.name = name
        self.request = request
        self.variants = variants
    }
}

/// One named answer in a response set: its takes play in order, the last one repeats.
package struct Variant: Sendable, Equatable {
    /// Unique within its response set.
    package var name: String
    /// Never empty.
    package var takes: [Take]

    package init(name: String, takes: [Take]) {
        self.name = name
        self.takes = takes
    }
}

/// Which requests a response set answers.
package struct RequestMatcher: Sendable, Equatable {
    /// `nil` is any method.
    package var method: String?
    /// Compared in canonical form (``RequestKey``): the order of query keys and the spelling of percent-encoding do
    /// not matter.
    package var url: AbsoluteURL
    package var body: BodyMatcher?

    package init(method: String?, url: AbsoluteURL, body: BodyMatcher? = nil) {
        self.method = method
        self.url = url
        self.body = body
    }
}

/// A condition on the body of a request.
package enum BodyMatcher: Sendable, Equatable {
    /// The same bytes, once any content coding is undone.
    case bytes(InlineBody)
    /// The same JSON but for white space between its tokens.
    case json(InlineBody)
    /// A body too large to write down: its SHA-256 in lower-case hexadecimal.
    case sha256(String)
}

/// A file of response sets.
package struct Cassette: Sendable, Equatable {
    /// What the user calls it.
    package var name: String
    /// Where it is; `nil` for one that lives in memory.
    package var path: String?
    package var about: String?
    package var responseSets: [ResponseSet]

    package init(name: String, path: String? = nil, about: String? = nil, responseSets: [ResponseSet]) {
        self.name = name
        self.path = path
        self.about = about
        self.responseSets = responseSets
    }
}
