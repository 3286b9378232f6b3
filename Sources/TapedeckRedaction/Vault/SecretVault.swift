package import TapedeckCore
import TapedeckLocking

/// The secrets that were found, only in memory: equal values get equal placeholders.
///
/// Those of at least eight bytes that do not look like a word are searched in everything that follows. Safe for use
/// from many threads.
package final class SecretVault: Sendable {
    /// The number of stored values. Further ones are redacted where a rule finds them, under a number made from the
    /// value, but are not searched elsewhere.
    package static let valueLimit = 100_000
    /// The maximum total size of stored values, in bytes.
    private static let byteLimit = 64 << 20
    /// The number of secrets before and after a token that are candidates for its hash claim.
    private static let nearness = 16

    struct Secret: Sendable {
        var value: [UInt8]
        /// `nil` for a secret with a final name.
        var number: Int?
        var name: String
        var isLiteral = false
        /// The number of leading bytes that its shape may show.
        var commonStart = 0
        /// The bytes at both ends that the shape shows; `nil` if the value is not part of a text in base64.
        var frame: SecretFrame?
        /// Digits alone are found only where no further digit is next to them.
        var isNumber = false
        /// It is found only where no letter, digit or `_` is next to it.
        var isWholeWord = false
        /// `nil` for a secret; values of the machine are found as whole words alone, and only in texts.
        var machine: MachineIdentity?
        /// True if it occurs in a binary body, so that its generated value must have its exact length.
        var hasExactLength = false

        var placeholder: SecretPlaceholder { SecretPlaceholder(name: self.name, number: self.number) }
    }

    /// A secret in a text.
    struct Hit: Sendable {
        var range: Range<Int>
        var encoding: LiteralTable.Encoding
        var secret: Secret
    }

    private struct State: Sendable {
        var indices: [[UInt8]: Int] = [:]
        var secrets: [Secret] = []
        /// The index in `secrets` of each number.
        var numbers: [Int: Int] = [:]
        var literals = LiteralTable()
        /// Those that are too short for the table.
        var short: [Int] = []
        /// Those that tell which machine it is, by their first two bytes, the longest first: folders begin alike, and most
        /// slashes in a text are of others.
        var machine: [[UInt8]: [Secret]] = [:]
        var nextNumber: Int
        var bytes = 0
        var changes = 0
        /// Numbers of the subjects of tokens.
        var subjects: [[UInt8]: Int] = [:]
    }

    private let state: Locked<State>
    /// The names of environment variables by their values.
    private let variables: [[UInt8]: String]
    /// Computes SHA-256 where the values of secrets are to be recognised later; `nil` keeps no digests.
    private let digest: Digest?

    /// - Parameters:
    ///   - known: values whose names are known: those that are played for a tape's placeholders. They have no numbers.
    ///   - firstNumber: of the values that come; more than 1 where a journal holds the numbers of an earlier recording.
    ///   - environment: the deck's, with whose variables secrets are compared.
    ///   - digest: computes the digests of ``SecretTraits``; `nil` for none.
    package init(
        known: SecretValues = .none,
        firstNumber: Int = 1,
        environment: [String: String] = [:],
        digest: Digest? = nil
    ) {
        self.digest = digest
        self.variables = Self.variables(environment)
        var state = State(nextNumber: firstNumber)
        for (name, value) in known.all.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            // The value of a variable is always searched, because the user named it.
            if let kind = known.machine[name] {
                Self.add(Array(value.utf8), name, of: kind, isKnown: true, to: &state)
                continue
            }
            let certainty: SecretCertainty = known.fixed.contains(name) ? .named : .certain
            Self.add(Array(value.utf8), name, certainty, isKnown: true, to: &state)
        }
        state.changes = 0
        self.state = Locked(state)
    }

    /// Returns the placeholder of a secret. Equal values have equal numbers, whatever their names.
    package func placeholder(for value: [UInt8], called name: String) -> SecretPlaceholder {
        self.placeholder(for: value, called: name, .certain)
    }

    func placeholder(for value: [UInt8], called name: String, _ certainty: SecretCertainty) -> SecretPlaceholder {
        self.state.withLock { state in
            if let index = state.indices[value] {
                Self.promote(index, certainty, in: &state)
                let secret = state.secrets[index]
                guard let number = secret.number else { return secret.placeholder }
                if Self.isGeneric(secret.name), !Self.isGeneric(name) { state.secrets[index].name = name }
                return SecretPlaceholder(name: name, number: number)
            }
            guard state.secrets.count < Self.valueLimit, state.bytes + value.count <= Self.byteLimit else {
                return SecretPlaceholder(name: name, number: Self.number(beyond: value))
            }
            Self.add(value, name, certainty, isKnown: false, to: &state)
            return SecretPlaceholder(name: name, number: state.nextNumber - 1)
        }
    }

    /// Adds a value that tells which machine it is.
    func add(_ value: String, of kind: MachineIdentity) {
        self.state.withLock { state in
            Self.add(ByteText.bytes(of: value), kind.rawValue, of: kind, isKnown: false, to: &state)
        }
    }

    /// Returns the placeholder of a stored value.
    package func existing(_ value: [UInt8]) -> SecretPlaceholder? {
        self.state.withLock { state in state.indices[value].map { state.secrets[$0].placeholder } }
    }

    /// Grows with each value that the vault learns to look for. An exchange that was redacted when it was less may
    /// hold a secret that only shows now: see ``Redactor/redactLiterals(_:)``.
    package var count: Int {
        self.state.withLock { $0.changes }
    }

    /// True if there is nothing to search for.
    var isEmpty: Bool {
        self.state.withLock { $0.literals.filter == nil && $0.short.isEmpty && $0.machine.isEmpty }
    }

    /// Those whose values cannot be equal to a secret by chance; of several with one value the first by name.
    private static func variables(_ environment: [String: String]) -> [[UInt8]: String] {
        let variables = environment.lazy.filter { name, value in
            value.utf8.count >= LiteralTable.keySize && !name.hasPrefix(SecretDescription.ownVariables)
        }
        return Dictionary(variables.map { (Array($1.utf8), $0) }, uniquingKeysWith: min)
    }

    /// The traits of the secret of a number.
    package func traits(_ number: Int) -> SecretTraits {
        let machine = self.state.withLock { state in state.numbers[number].flatMap { state.secrets[$0].machine } }
        if let machine { return SecretTraits(shape: machine.shape, variable: machine.variable) }
        let variable = self.variables.isEmpty ? nil : self.value(number).flatMap { self.variables[$0] }
        return SecretTraits(shape: self.shape(number).text, variable: variable, sha256: self.digest(of: number))
    }

    /// The first digits of the digest of the secret of a number; `nil` if the vault keeps no digests.
    private func digest(of number: Int) -> String? {
        guard let digest = self.digest, let value = self.value(number) else { return nil }
        return String(digest(value).prefix(SecretDescription.digestLength))
    }

    /// The shape of the secret of a number.
    package func shape(_ number: Int) -> SecretShape {
        let secret = self.state.withLock { state in state.numbers[number].map { state.secrets[$0] } }
        guard let secret else { return .token }
        if let frame = secret.frame { return SecretShape(of: secret.value, named: secret.name, in: frame) }
        let shape = SecretShape(of: secret.value, named: secret.name, commonStart: secret.commonStart)
        if shape.text == "jwt" { return self.token(secret.value, number).map { SecretShape($0) } ?? shape }
        return secret.hasExactLength ? shape.withLength(secret.value.count) : shape
    }

    /// Returns a function that tells if the secret of a number has a shape, as far as it tells kinds of secrets apart.
    package func look(_ number: Int) -> (_ shape: String) -> Bool {
        let own = self.shape(number).text
        return { SecretShape.areAlike(own, $0) }
    }

    private func token(_ value: [UInt8], _ number: Int) -> TokenShape? {
        TokenShape(
            of: value,
            subject: { subject in
                self.state.withLock { state in
                    let known = state.subjects[subject]
                    let subjectNumber = known ?? state.subjects.count + 1
                    if known == nil, subjectNumber <= Self.valueLimit { state.subjects[subject] = subjectNumber }
                    return subjectNumber
                }
            },
            placeholder: { self.existing($0)?.text },
            hashed: { claim in
                self.nearest(to: number, claim == "c_hash" ? ["code", "authorization_code"] : ["access_token"])?.text
            }
        )
    }

    /// Returns the secret of one of these names that was found closest to another one: those of one answer are
    /// adjacent.
    private func nearest(to number: Int, _ names: Set<String>) -> SecretPlaceholder? {
        self.state.withLock { state in
            for distance in 1...Self.nearness {
                for other in [number - distance, number + distance] {
                    guard let index = state.numbers[other] else { continue }
                    let secret = state.secrets[index]
                    if names.contains(secret.name) { return secret.placeholder }
                }
            }
            return nil
        }
    }

    /// The secret of a number.
    package func value(_ number: Int) -> [UInt8]? {
        self.state.withLock { state in state.numbers[number].map { state.secrets[$0].value } }
    }

    /// Has the shape of a secret show the bytes around it.
    func note(_ frame: SecretFrame, of value: [UInt8]) {
        self.state.withLock { state in
            if let index = state.indices[value] { state.secrets[index].frame = frame }
        }
    }

    /// Has the shape of a secret begin as the secret does.
    func note(commonStart: Int, of value: [UInt8]) {
        self.state.withLock { state in
            guard let index = state.indices[value] else { return }
            state.secrets[index].commonStart = max(state.secrets[index].commonStart, commonStart)
        }
    }

    /// Has the made-up value of a secret be as long as the secret, as far as its shape allows.
    func note(exactLengthOf value: [UInt8]) {
        self.state.withLock { state in
            if let index = state.indices[value] { state.secrets[index].hasExactLength = true }
        }
    }

    /// Names that say how a secret travels and not what it is: a more telling one is better.
    package static func isGeneric(_ name: String) -> Bool {
        ["authorization", "proxy_authorization", "bearer", "basic", "jwt", "cookie", "secret", "token"].contains(name)
    }

    // MARK: Adding

    private static func add(
        _ value: [UInt8],
        _ name: String,
        _ certainty: SecretCertainty,
        isKnown: Bool,
        to state: inout State
    ) {
        guard state.indices[value] == nil else { return }
        let index = state.secrets.count
        var secret = Secret(value: value, name: name)
        if !isKnown {
            secret.number = state.nextNumber
            state.numbers[state.nextNumber] = index
            state.nextNumber += 1
        }
        state.indices[value] = index
        state.secrets.append(secret)
        state.bytes += value.count
        Self.promote(index, certainty, in: &state)
    }

    private static func add(
        _ value: [UInt8],
        _ name: String,
        of kind: MachineIdentity,
        isKnown: Bool,
        to state: inout State
    ) {
        // The root folder is in all paths.
        guard value.count > 1, state.indices[value] == nil else { return }
        let index = state.secrets.count
        Self.add(value, name, .part, isKnown: isKnown, to: &state)
        state.secrets[index].machine = kind
        let alike = state.machine[Array(value.prefix(2)), default: []] + [state.secrets[index]]
        state.machine[Array(value.prefix(2))] = alike.sorted { $0.value.count > $1.value.count }
    }

    /// Has a secret looked for from now on, if it is fit for that.
    private static func promote(_ index: Int, _ certainty: SecretCertainty, in state: inout State) {
        let value = state.secrets[index].value
        guard !state.secrets[index].isLiteral, certainty.isLiteral(value) else { return }
        state.secrets[index].isLiteral = true
        state.secrets[index].isWholeWord = !certainty.isUnmistakable(value)
        state.secrets[index].isNumber = value.allSatisfy { (0x30...0x39).contains($0) }
        state.changes += 1
        if value.count < LiteralTable.keySize {
            state.short.append(index)
        } else {
            state.literals.add(value, secret: index)
        }
    }

    /// Far from the numbers that are counted, and the same for the same value.
    private static func number(beyond value: [UInt8]) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in value { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return 1_000_000_000 + Int(hash >> 24)
    }

    // MARK: Searching

    /// Returns the secrets in a text, in order, without overlaps: at each place the longest.
    ///
    /// - Parameter isBinary: true to ignore the bytes next to a secret, even letters.
    func hits(in text: UnsafeRawBufferPointer, isBinary: Bool = false) -> [Hit] {
        let (filter, hasShort, machine) = self.state.withLock { state in
            (state.literals.filter, !state.short.isEmpty, isBinary ? [:] : state.machine)
        }
        var hits: [Hit] = []
        if let filter, text.count >= LiteralTable.keySize {
            // The lock is held only for a few places at a time.
            var candidates: [Int] = []
            var hashes = TextHashes(text)
            var end = 0
            for index in 0...(text.count - LiteralTable.keySize) {
                guard filter.mayHold(text.loadUnaligned(fromByteOffset: index, as: UInt64.self)) else { continue }
                candidates.append(index)
                guard candidates.count == 256 else { continue }
                self.check(candidates, in: &hashes, isBinary, &hits, &end)
                candidates.removeAll(keepingCapacity: true)
            }
            if !candidates.isEmpty { self.check(candidates, in: &hashes, isBinary, &hits, &end) }
        }
        if hasShort { hits += self.shortHits(in: text) }
        if !machine.isEmpty { hits += Self.machineHits(machine, in: text) }
        return hits
    }

    private func check(
        _ candidates: [Int],
        in hashes: inout TextHashes,
        _ isBinary: Bool,
        _ hits: inout [Hit],
        _ end: inout Int
    ) {
        let from = end
        let text = hashes.text
        let found = self.state.withLock { state in
            var found: [Hit] = []
            var end = from
            for index in candidates where index >= end {
                guard let (literal, length) = state.literals.longest(at: index, in: &hashes) else { continue }
                let range = index..<(index + length)
                let secret = state.secrets[literal.secret]
                if literal.encoding == .raw, !isBinary {
                    if secret.isNumber, Self.isWithinNumber(range, text) { continue }
                    if secret.isWholeWord, WholeWord.isPart(range, of: text) { continue }
                }
                found.append(Hit(range: range, encoding: literal.encoding, secret: secret))
                end = range.upperBound
            }
            return found
        }
        hits += found
        end = found.last?.range.upperBound ?? end
    }

    private static func isWithinNumber(_ range: Range<Int>, _ text: UnsafeRawBufferPointer) -> Bool {
        (range.lowerBound > 0 && (0x30...0x39).contains(text[range.lowerBound - 1]))
            || (range.upperBound < text.count && (0x30...0x39).contains(text[range.upperBound]))
    }

    /// - Parameter secrets: by their first two bytes, the longest first.
    private static func machineHits(_ secrets: [[UInt8]: [Secret]], in text: UnsafeRawBufferPointer) -> [Hit] {
        var hits: [Hit] = []
        for (start, secrets) in secrets {
            var index = 0
            let (first, second) = (start[0], start[1])
            while let place = text.index(of: first, from: index), place + 1 < text.count {
                index = place + 1
                guard text[index] == second else { continue }
                let found = secrets.first { secret in
                    let range = place..<(place + secret.value.count)
                    return range.upperBound <= text.count && text[range].elementsEqual(secret.value)
                        && !WholeWord.isPart(range, of: text, beside: secret.machine == .host ? "-" : "-.")
                }
                guard let found else { continue }
                hits.append(Hit(range: place..<(place + found.value.count), encoding: .raw, secret: found))
                index = place + found.value.count
            }
        }
        return hits
    }

    private func shortHits(in text: UnsafeRawBufferPointer) -> [Hit] {
        let short = self.state.withLock { state in state.short.map { state.secrets[$0] } }
        var hits: [Hit] = []
        for secret in short {
            var index = 0
            while let found = text.range(of: secret.value, from: index) {
                hits.append(Hit(range: found, encoding: .raw, secret: secret))
                index = found.upperBound
            }
        }
        return hits
    }
}

/// Distinguishes a value that is a whole word from the same bytes within a longer word.
enum WholeWord {
    /// Returns true if a letter, a digit or `_` is next to a range, unless it is the end of an escape: `%2Bvalue`,
    /// `\nvalue`, `\u0022value`.
    ///
    /// - Parameter others: other bytes of words. A `.` with no further byte of a word behind it ends a sentence.
    static func isPart(_ range: Range<Int>, of text: UnsafeRawBufferPointer, beside others: String = "") -> Bool {
        func isPart(_ index: Int) -> Bool {
            text.indices.contains(index) && (Self.isWordByte(text[index]) || others.utf8.contains(text[index]))
        }
        let (start, end) = (range.lowerBound, range.upperBound)
        if isPart(end), text[end] != UInt8(ascii: ".") || isPart(end + 1) { return true }
        // A slash begins a part of a path, whatever is before it.
        guard text[start] != ASCII.slash || others.isEmpty, isPart(start - 1) else { return false }
        if start > 1, text[start - 2] == ASCII.backslash { return false }
        if start > 2, text[start - 3] == ASCII.percent { return false }
        return start < 6 || text[start - 6] != ASCII.backslash || text[start - 5] != 0x75
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
