import Foundation
import TapedeckControlAPI
import TapedeckControlClient
import TapedeckLocking

/// The mode of a session, in the words of the control API.
package enum DeckMode: String, Sendable {
    case replay
    case record
    case append

    /// True if it writes a cassette.
    package var records: Bool { self != .replay }

    /// True if it plays anything, stubs included.
    var plays: Bool { self != .record }
}

/// The cassettes that did not exist when a test of this process first used them.
enum RunCassettes {
    private struct Cassette {
        var wasMissing: Bool
        /// Kept, so that no other store gets its identity.
        var store: (any CassetteStore)?
    }

    private static let known = Locked<[String: Cassette]>([:])

    /// Returns true if a cassette did not exist when a test of this process first used it.
    ///
    /// - Parameters:
    ///   - key: of the cassette, no other's.
    ///   - store: the store that has it.
    ///   - exists: looks whether it exists.
    static func wasMissing(
        _ key: String,
        of store: (any CassetteStore)? = nil,
        exists: () throws -> Bool
    ) rethrows -> Bool {
        if let cassette = self.known.withLock({ $0[key] }) { return cassette.wasMissing }
        // Not under the lock: it may ask a deck. A test makes its note before it records, so none finds its own cassette.
        let wasMissing = try !exists()
        return self.known.withLock { known in
            if let cassette = known[key] { return cassette.wasMissing }
            known[key] = Cassette(wasMissing: wasMissing, store: store)
            return wasMissing
        }
    }
}

extension Tapedeck {
    /// The mode in words, for the traffic of a failed test.
    var modeText: String { self.mode == .once && self.isRecording ? "once (recording)" : self.mode.rawValue }
}

extension CassetteReference {
    /// Returns true if the cassette did not exist when a test of this process first used it. A cassette that is built in
    /// Swift always exists.
    ///
    /// - Parameter folder: absolute.
    func wasMissing(in folder: String, _ deck: RunningDeck) throws -> Bool {
        switch self {
        case .inMemory, .files, .namedAfterTest: return false
        case .named(let name):
            let path = CassettePath(name, folder: folder)
            // A deck with a disk of its own records into its folder.
            let key = deck.takesPaths ? path.file : "\(deck.control.url) \(name)"
            return try RunCassettes.wasMissing(key) {
                if path.existing != nil { return true }
                return try !deck.takesPaths && deck.control.cassettes().contains { $0.name == name }
            }
        case .url(let url): return try Self.named(url.path).wasMissing(in: folder, deck)
        case .stored(let name, let store):
            let isObject = Mirror(reflecting: store).displayStyle == .class
            let owner = isObject ? "\(ObjectIdentifier(store as AnyObject))" : "\(store)"
            return try RunCassettes.wasMissing("\(type(of: store)) \(owner) \(name)", of: store) {
                try !store.files(of: name).isEmpty
            }
        }
    }
}
