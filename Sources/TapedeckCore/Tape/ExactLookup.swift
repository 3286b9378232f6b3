import TapedeckProtobuf

/// The sets of a tape with an exact URL, found by a hash of the method and the compared part of the URL.
struct ExactLookup: Sendable {
    /// The sets of one key, in the order in which they are tried.
    struct Chain: Sendable {
        /// Sets that must be looked at one by one.
        var others: [Int32] = []
        /// True if there are sets that are found by their body.
        var hasIdentities = false
        /// True if the bodies of some of those sets are XML.
        var hasXML = false
        /// The comparisons of the JSON bodies of those sets.
        var comparisons: [JSONComparison] = []
        /// Sets that are found by the first message of a call.
        var calls: [Int32] = []
        /// The forms of the first messages of calls by which sets are found.
        var messages: [MessageForm] = []
        /// True if a set here cannot be judged without the body.
        var needsBody = false
    }

    /// The form in which a message is read to be compared.
    enum MessageForm: Equatable {
        case bytes
        case fields
        case json(MessageType?, JSONComparison)
    }

    private struct BodyKey: Hashable {
        var chain: Int
        var identity: BodyMatcher.Identity
    }

    let projection: URLProjection
    private var index: ExactIndex
    private var chains: [Chain] = []
    /// Sets with a condition on the whole body and no others in addition to method and URL: a GraphQL API has one URL
    /// for everything, so one chain may have many of them.
    private var identities: [BodyKey: [Int32]] = [:]
    /// Sets with conditions on the messages of a call, by the first message.
    private var calls: [BodyKey: [Int32]] = [:]
    private var takesAnyMethod = false

    init(_ projection: URLProjection, capacity: Int) {
        self.projection = projection
        self.index = ExactIndex(capacity: capacity)
        self.chains.reserveCapacity(capacity)
    }

    // MARK: Making

    /// Adds a set. Sets must be added in the order in which they are tried.
    mutating func insert(_ entry: Int, _ matcher: CompiledMatcher, url: [UInt8]) {
        let methods = matcher.methods.isEmpty ? [RequestKey.anyMethod] : matcher.methods
        if matcher.methods.isEmpty { self.takesAnyMethod = true }
        for method in methods {
            let chain = self.index.insert(Array(method.utf8) + [ASCII.space] + url)
            if chain == self.chains.count { self.chains.append(Chain()) }
            if let identity = matcher.identity {
                self.identities[BodyKey(chain: chain, identity: identity), default: []].append(Int32(entry))
                self.chains[chain].hasIdentities = true
                if identity.kind == .xml { self.chains[chain].hasXML = true }
                if identity.kind == .json, !self.chains[chain].comparisons.contains(identity.comparison) {
                    self.chains[chain].comparisons.append(identity.comparison)
                }
            } else if let messages = matcher.messages, let identity = messages.firstIdentity {
                self.calls[BodyKey(chain: chain, identity: identity), default: []].append(Int32(entry))
                self.chains[chain].calls.append(Int32(entry))
                let form = MessageForm(identity, messages.type)
                if !self.chains[chain].messages.contains(form) { self.chains[chain].messages.append(form) }
            } else {
                self.chains[chain].others.append(Int32(entry))
            }
            if matcher.needsBody { self.chains[chain].needsBody = true }
            let first = self.chains[chain].others.first
            let asksBody = self.chains[chain].hasIdentities || !self.chains[chain].messages.isEmpty
            self.index.setValue(asksBody ? -1 : first.map(Int.init) ?? -1, of: chain)
        }
    }

    // MARK: Asking

    /// Returns the chain of the request's own method and that of any method; -1 if there is no chain.
    func chains(for request: RequestFacts) -> (own: Int, any: Int) {
        let url = self.projection == .whole ? nil : request.projected(self.projection)
        let own = url.map { Array(request.method.utf8) + [ASCII.space] + $0 } ?? request.key.bytes
        let any: Int
        if self.takesAnyMethod {
            let key = url.map { Array(RequestKey.anyMethod.utf8) + [ASCII.space] + $0 }
            any = self.index.number(of: key ?? request.key.forAnyMethod.bytes)
        } else {
            any = -1
        }
        return (self.index.number(of: own), any)
    }

    /// Returns the first set of the whole URL in `key`, if only that URL's own sets can come before it; else -1. This
    /// is the most frequent case of replay.
    func first(_ key: RequestKey) -> Int {
        self.takesAnyMethod ? -1 : self.index.value(of: key.bytes)
    }

    func chain(_ number: Int) -> Chain { self.chains[number] }

    /// Returns the sets of a chain that require exactly the received body, in no order.
    func entries(of chain: Int, askingFor request: RequestFacts) -> [Int32] {
        guard self.chains[chain].hasIdentities, let body = request.body else { return [] }
        var found = self.entries(chain, BodyMatcher.Identity.sha256(body.sha256))
        if let bytes = body.bytes { found += self.entries(chain, .bytes(bytes)) }
        if let spelling = request.canonicalBody, spelling != body.bytes {
            found += self.entries(chain, .bytes(spelling))
        }
        if self.chains[chain].hasXML, let xml = request.xml { found += self.entries(chain, .xml(xml)) }
        for comparison in self.chains[chain].comparisons {
            if let identity = request.identity(comparison) { found += self.entries(chain, identity) }
        }
        return found
    }

    /// Returns the sets of a chain that may take the first message of the call, each list in the order in which they are
    /// tried.
    func calls(of chain: Int, askingFor request: RequestFacts) -> [[Int32]] {
        let forms = self.chains[chain].messages
        guard !forms.isEmpty, let body = request.body else { return [] }
        guard body.bytes != nil else {
            request.noteUnknownBody()
            return []
        }
        // Any message may come.
        if request.hasPartOfBody, request.messages(nil)?.isEmpty ?? false { return [self.chains[chain].calls] }
        return forms.compactMap { form in
            form.identity(of: request).flatMap { self.calls[BodyKey(chain: chain, identity: $0)] }
        }
    }

    private func entries(_ chain: Int, _ identity: BodyMatcher.Identity) -> [Int32] {
        self.identities[BodyKey(chain: chain, identity: identity)] ?? []
    }
}

extension ExactLookup.MessageForm {
    fileprivate init(_ identity: BodyMatcher.Identity, _ type: MessageType?) {
        switch identity.kind {
        case .proto: self = .fields
        case .json: self = .json(type, identity.comparison)
        case .bytes, .sha256, .xml, .messages: self = .bytes
        }
    }

    /// The identity of the first message of a call; `nil` if it has none in this form.
    fileprivate func identity(of request: RequestFacts) -> BodyMatcher.Identity? {
        switch self {
        case .bytes: request.messages(nil)?.first?.bodyBytes.map { .bytes($0) }
        case .fields:
            request.messages(nil)?.first?.bodyBytes
                .flatMap { ProtobufMessage(parsing: $0) }.map { .proto($0.inOneOrder.bytes) }
        case .json(let type, let comparison): request.messages(type)?.first?.identity(comparison)
        }
    }
}
