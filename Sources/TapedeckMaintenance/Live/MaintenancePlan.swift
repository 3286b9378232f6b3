import TapedeckCassettes
import TapedeckCore

/// The requests of a cassette that are sent again, and the reasons why others are not.
struct MaintenancePlan: Sendable {
    /// A response set that is left alone.
    struct Skipped: Sendable, Equatable {
        var set: String
        /// Comes after the name.
        var why: String
    }

    private(set) var requests: [LiveRequest] = []
    private(set) var skipped: [Skipped] = []
    /// The names of the secrets that the requests hold.
    private(set) var secrets: Set<String> = []

    private let options: MaintenanceOptions
    private let live: LiveSecrets

    /// - Throws: ``DeckError`` for a set that the cassette does not have.
    init(_ cassette: Cassette, _ options: MaintenanceOptions) throws(DeckError) {
        self.options = options
        self.live = LiveSecrets(cassette, environment: options.environment)
        let names = cassette.responseSets.map(\.name)
        for name in options.sets where !names.contains(name) {
            let hint = Spelling.hint(for: name, among: names)
            throw DeckError("\(cassette.name) has no response set \"\(name)\"\(hint)", kind: .badOption)
        }
        for (number, set) in cassette.responseSets.enumerated() {
            guard options.sets.isEmpty || options.sets.contains(set.name) else { continue }
            do throws(TapedRequest.Problem) {
                try self.add(set, number)
            } catch {
                self.skipped.append(Skipped(set: set.name, why: error.description))
            }
        }
    }

    /// Requests a set as a whole, so that its takes still belong together, or not at all.
    private mutating func add(_ set: ResponseSet, _ number: Int) throws(TapedRequest.Problem) {
        guard let variant = set.recordedVariant else {
            throw TapedRequest.Problem("no recording wrote it")
        }
        let asked = set.variants[variant].takes.enumerated().filter { $0.element.recorded != nil }
        let method = try self.method(of: set)
        var requests: [LiveRequest] = []
        for (take, element) in asked where element.fault == nil {
            var taped = try TapedRequest(element, of: set, method: method)
            taped.headers.removeAll { field in self.options.headers.contains { $0.isNamed(field.name) } }
            taped.headers += self.options.headers
            self.secrets.formUnion(taped.secrets)
            requests.append(try self.live(taped, set: number, take: take))
        }
        guard !requests.isEmpty else { throw TapedRequest.Problem("what it recorded is a fault") }
        self.requests += requests
    }

    private func live(_ taped: TapedRequest, set: Int, take: Int) throws(TapedRequest.Problem) -> LiveRequest {
        let filled: TapedRequest
        do throws(LiveSecrets.Missing) {
            filled = try self.live.fill(taped)
        } catch {
            let variables = error.names.map(self.live.variable).joined(separator: ", ")
            let (secrets, they) = error.names.count == 1 ? ("the secret", "it") : ("the secrets", "them")
            throw TapedRequest.Problem(
                "it needs \(secrets) \(error.names.joined(separator: ", ")): give \(they) in \(variables)"
            )
        }
        guard let url = AbsoluteURL(filled.url) else {
            throw TapedRequest.Problem("its URL cannot be requested")
        }
        let isClean = { (text: String) in !text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 } }
        guard isClean(url.target), !url.target.utf8.contains(0x20),
            filled.headers.allSatisfy({ isClean($0.name) && isClean($0.value) })
        else {
            throw TapedRequest.Problem("a line break or a space in its URL or headers cannot be sent")
        }
        return LiveRequest(
            set: set,
            take: take,
            method: filled.method,
            url: url,
            headers: filled.headers,
            body: filled.body
        )
    }

    private func method(of set: ResponseSet) throws(TapedRequest.Problem) -> String {
        let methods = set.request.methods.isEmpty ? ["GET"] : set.request.methods
        guard let allowed = self.options.methods else { return methods[0] }
        guard let method = methods.first(where: allowed.contains) else {
            throw TapedRequest.Problem(
                "\(methods[0]) may change something there; --methods \(methods[0]) asks all the same"
            )
        }
        return method
    }
}
