/// A condition as a type of one's own, for what only code can tell. It may say why a request does not match.
///
/// ```swift
/// struct Signed: RequestCondition {
///     let key: SymmetricKey
///     var matcher: RequestMatcher { .post("/webhook") }
///
///     func mismatch(_ request: Tapedeck.Request) -> String? {
///         guard let signature = request[header: "X-Signature"] else { return "there is no signature" }
///         return isValid(signature, request.body, self.key) ? nil : "the signature \(signature) is not of this body"
///     }
/// }
///
/// try await deck.stub(where: Signed(key: key), .status(204))
/// deck.expect(where: Signed(key: key), .exactly(1))
/// ```
public protocol RequestCondition: Sendable {
    /// Which requests it is asked about.
    var matcher: RequestMatcher { get }
    /// Returns the reason why a request does not match, in words that go on after the name of this type; `nil` if it does.
    func mismatch(_ request: Tapedeck.Request) throws -> String?
}

extension RequestCondition {
    /// Every request, unless a type says otherwise.
    public var matcher: RequestMatcher { .any }

    /// The words for it in failures.
    var words: String { "\(type(of: self)) of \(self.matcher)" }

    /// Why a request does not match, to be read alone.
    func reason(_ request: Tapedeck.Request) throws -> String? {
        try self.mismatch(request).map { "\(type(of: self)): \($0)" }
    }
}
