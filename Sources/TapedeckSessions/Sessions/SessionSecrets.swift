import Synchronization
import TapedeckCodings
import TapedeckCore
import TapedeckLocking
import TapedeckRedaction
import TapedeckTLS

/// The secrets of one session's requests: their names on the tape, and the placeholders that are shown for others.
package final class SessionSecrets: Sendable {
    private struct Current {
        var tape: Int
        var values: SecretValues
        var redactor: Redactor
        var vault: Int
    }

    private let deck: DeckSecrets
    private let current = Locked<Current?>(nil)
    private static let vaults = Atomic<Int>(0)

    init(_ deck: DeckSecrets) {
        self.deck = deck
    }

    /// Returns the values of the tape's secrets.
    func values(of tape: Tape) -> SecretValues { self.deck.of(tape).values }

    /// The redactor of a tape. Its vault stays the session's when another tape is played, unless that plays other values.
    private func current(_ tape: Tape) -> Current {
        if let current = self.current.withLock({ $0 }), current.tape == tape.serial { return current }
        // Rules are compiled without the lock.
        let rules = self.deck.rules(of: tape)
        let values = self.deck.of(tape).values
        return self.current.withLock { current in
            if let current, current.tape == tape.serial { return current }
            var made: Current
            if let known = current, known.values.all == values.all {
                made = known
                made.redactor = Redactor(rules, vault: known.redactor.vault)
            } else {
                made = Current(
                    tape: tape.serial,
                    values: values,
                    redactor: Redactor(rules, vault: SecretVault(known: values)),
                    vault: Self.vaults.wrappingAdd(1, ordering: .relaxed).newValue
                )
            }
            made.tape = tape.serial
            current = made
            return made
        }
    }

    /// Returns the redactor with the rules of the tape's cassettes.
    func redactor(of tape: Tape) -> Redactor { self.current(tape).redactor }

    /// A request with placeholders in place of its secrets.
    ///
    /// - Parameter isLive: false for one in which ``hidden(_:_:_:state:)`` has put placeholders already.
    func redacted(_ matchRequest: MatchRequest, _ tapes: TapeStack, isLive: Bool = true) -> RedactedRequest {
        let current = self.current(tapes.cassettes)
        let (method, url) = Self.parts(of: matchRequest.key)
        let body = matchRequest.body?.bytes
        let text = RedactedText(
            current.redactor.redact(url: url, fields: matchRequest.fields, body: body, isLive: isLive)
        )
        let needsDigest = tapes.asksForDigest && text.body != body
        return RedactedRequest(
            vault: current.vault,
            unknown: text.unknown,
            hasForms: text.hasForms,
            fixed: current.values.unbound,
            known: text.known,
            look: { current.redactor.vault.look($0) },
            digest: { number, inLowerCase in
                current.redactor.vault.value(number).map { Self.digest(of: $0, inLowerCase: inLowerCase) }
            },
            make: { names, isPlain in
                let named = text.named(names, isPlain: isPlain)
                var result = matchRequest
                result.redacted = nil
                result.key = AbsoluteURL(named.url).map { RequestKey(method: method, url: $0) } ?? matchRequest.key
                result.fields = named.fields
                if let bytes = named.body {
                    result.body?.bytes = bytes
                    if needsDigest { result.body?.sha256 = Self.digest(bytes, matchRequest.fields) }
                }
                return result
            }
        )
    }

    /// Returns the secrets of a request that no rule finds, by the tape's placeholders at their places.
    func hidden(
        _ matchRequest: MatchRequest,
        _ tapes: TapeStack,
        _ bindings: SecretBindings,
        state: [String: String]
    ) -> HiddenSecrets? {
        let current = self.current(tapes.cassettes)
        let vault = current.redactor.vault
        let knowledge = HiddenSecrets.Knowledge(
            decode: { value, form in form.decode(value) },
            known: { value in vault.existing(value).map { ($0.name, $0.number) } },
            isFixed: { current.values.unbound.contains($0) },
            digest: { Self.digest(of: $0, inLowerCase: $1) }
        )
        return tapes.hiddenSecrets(matchRequest, bindings.of(vault: current.vault), state: state, knowledge)
    }

    /// Adds values to the vault. Returns the names for their numbers.
    func learn(_ secrets: [HiddenSecrets.Secret], _ tape: Tape) -> (names: [Int: String], vault: Int) {
        let current = self.current(tape)
        var names: [Int: String] = [:]
        for secret in secrets {
            let placeholder = current.redactor.vault.placeholder(for: secret.value, called: secret.name)
            if let number = placeholder.number { names[number] = secret.name }
        }
        return (names, current.vault)
    }

    /// The latest values of the session's requests that must come back to it, by the names of the tape.
    func ownValues(of tape: Tape, _ bindings: SecretBindings) -> [String: String] {
        let current = self.current(tape)
        var own: [String: (number: Int, value: String)] = [:]
        for (number, name) in bindings.of(vault: current.vault).names where SecretValues.isOwn(name) {
            guard own[name].map({ $0.number < number }) ?? true, let value = current.redactor.vault.value(number) else {
                continue
            }
            own[name] = (number, ByteText.string(from: value))
        }
        return own.mapValues(\.value)
    }

    private static func parts(of key: RequestKey) -> (method: String, url: String) {
        let bytes = key.bytes
        let space = bytes.firstIndex(of: ASCII.space) ?? bytes.endIndex
        return (ByteText.string(from: bytes[..<space]), ByteText.string(from: bytes[space...].dropFirst()))
    }

    private static func digest(of value: [UInt8], inLowerCase: Bool) -> String {
        SHA256.hexDigest(of: inLowerCase ? value.map(ASCII.lowercased) : value)
    }

    /// As a recording has it: of the redacted body, with its content coding.
    private static func digest(_ bytes: [UInt8], _ fields: [HeaderField]) -> String {
        let codings = ContentCoding.all(of: fields) ?? []
        let coded = (try? ContentCoder.encode(bytes, codings.map { CodingRecipe($0) })) ?? bytes
        return SHA256.hexDigest(of: CanonicalBody.withoutBoundary(coded, fields))
    }
}

/// A redacted request in which unknown secrets have numbers.
private struct RedactedText: Sendable {
    let url: String
    let fields: [HeaderField]
    let body: [UInt8]?
    private(set) var unknown: [RedactedRequest.Unknown] = []
    private(set) var known: Set<String> = []
    private(set) var hasForms = false

    init(_ redacted: (url: String, fields: [HeaderField], body: [UInt8]?)) {
        self.url = redacted.url
        self.fields = redacted.fields
        self.body = redacted.body
        self.note(SecretPlaceholder.all(in: redacted.url).map(\.placeholder))
        for field in redacted.fields { self.note(SecretPlaceholder.all(in: field.value).map(\.placeholder)) }
        guard let body = redacted.body else { return }
        self.note(body.withUnsafeBytes { SecretPlaceholder.all(in: $0).map(\.placeholder) })
    }

    private mutating func note(_ placeholders: [SecretPlaceholder]) {
        for placeholder in placeholders {
            self.hasForms = self.hasForms || Self.isUndone(placeholder.form)
            if placeholder.number == nil { self.known.insert(placeholder.name) }
            guard let number = placeholder.number, !self.unknown.contains(where: { $0.number == number }) else {
                continue
            }
            self.unknown.append(RedactedRequest.Unknown(number: number, name: placeholder.name))
        }
    }

    /// Returns true if matching decodes the form, so that a condition applies to the decoded value.
    private static func isUndone(_ form: SecretPlaceholder.Form) -> Bool {
        form == .percent || form == .json
    }

    func named(
        _ names: [Int: String],
        isPlain: Bool
    ) -> (url: String, fields: [HeaderField], body: [UInt8]?) {
        func text(_ placeholder: SecretPlaceholder) -> String {
            var placeholder = placeholder
            if let number = placeholder.number { placeholder.name = names[number] ?? placeholder.name }
            placeholder.number = nil
            if isPlain, Self.isUndone(placeholder.form) { placeholder.form = .raw }
            return placeholder.text
        }
        return (
            SecretPlaceholder.replacing(in: self.url, text),
            self.fields.map { HeaderField($0.name, SecretPlaceholder.replacing(in: $0.value, text)) },
            self.body.map { body in
                func named(_ bytes: [UInt8]) -> [UInt8] {
                    SecretPlaceholder.replacing(in: bytes) { Array(text($0).utf8) }
                }
                return MessageCoder.changing(body, self.fields, type: nil, limit: body.count) { part, _ in named(part) }
                    ?? named(body)
            }
        )
    }
}
