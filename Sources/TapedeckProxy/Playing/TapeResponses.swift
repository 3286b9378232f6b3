import NIOCore
import TapedeckCore
import TapedeckSessions

/// The encoded responses of one tape on one event loop. It does not retain the tape, so both can go when nothing plays
/// it.
final class TapeResponses {
    /// The client's abilities that affect an ordinary take.
    struct Key: Hashable {
        var take: Int
        var client: ClientAbilities
    }

    let serial: Int
    let secrets: DeckSecrets
    private weak var life: Tape.Life?
    private let heavy: HeavyResponses
    /// The usual client's responses, by take number: found without hashing.
    private var usual: [PlayableResponse?]
    private var others: [Key: PlayableResponse] = [:]
    /// The texts of takes as templates, by number.
    var templates: [Int: TakeTemplates] = [:]
    /// The takes with values from the requests of a session: they are made again each time.
    var own: Set<Int> = []
    /// The takes that are played with another content each time, by number.
    var staged: [Int: TakeSource] = [:]
    /// The maximum size of a light response: those in the cassette itself, and most bodies in files. 128 KiB.
    private static let lightLimit = 128 << 10

    init(_ tape: Tape, heavy: HeavyResponses, secrets: DeckSecrets) {
        self.serial = tape.serial
        self.life = tape.life
        self.heavy = heavy
        self.secrets = secrets
        self.usual = Array(repeating: nil, count: tape.takes.count)
    }

    deinit {
        self.heavy.remove(tape: self.serial)
    }

    /// True if the tape is gone.
    var isStale: Bool { self.life == nil }

    /// - Parameter isUsual: whether the client is one that takes everything and wants nothing special.
    func response(_ key: Key, isUsual: Bool) -> PlayableResponse? {
        if isUsual {
            if let response = self.usual[key.take] { return response }
        } else if let response = self.others[key] {
            return response
        }
        return self.heavy.response(tape: self.serial, key)
    }

    func keep(_ response: PlayableResponse, _ key: Key, isUsual: Bool) {
        if response.bytes.readableBytes > Self.lightLimit {
            self.heavy.keep(response, tape: self.serial, key)
        } else if isUsual {
            self.usual[key.take] = response
        } else {
            self.others[key] = response
        }
    }
}

@available(*, unavailable)
extension TapeResponses: Sendable {}

/// The large responses of all tapes of one event loop. They share a budget; when that is used up, they are made on
/// demand.
final class HeavyResponses {
    private var responses: [Int: [TapeResponses.Key: PlayableResponse]] = [:]
    private var bytes = 0
    /// 32 MiB.
    private static let budget = 32 << 20

    func response(tape: Int, _ key: TapeResponses.Key) -> PlayableResponse? {
        self.responses.isEmpty ? nil : self.responses[tape]?[key]
    }

    func keep(_ response: PlayableResponse, tape: Int, _ key: TapeResponses.Key) {
        let size = response.bytes.readableBytes
        guard size <= TakeSource.memoryLimit else { return }
        if self.bytes + size > Self.budget {
            self.responses = [:]
            self.bytes = 0
        }
        // Two that asked at once made it twice.
        if let before = self.responses[tape, default: [:]].updateValue(response, forKey: key) {
            self.bytes -= before.bytes.readableBytes
        }
        self.bytes += size
    }

    func remove(tape: Int) {
        guard let gone = self.responses.removeValue(forKey: tape) else { return }
        self.bytes -= gone.values.reduce(0) { $0 + $1.bytes.readableBytes }
    }
}

@available(*, unavailable)
extension HeavyResponses: Sendable {}
