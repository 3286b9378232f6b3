public import Foundation

/// The use of a test's cassette. All of Tapedeck's helpers for tests have these modes.
public enum TapedeckMode: String, Sendable, CaseIterable {
    /// Plays the tape, and connects to no other machine. A request to a server on this machine passes only if no response
    /// set on tape names its origin; the traffic of a failed test lists what passed.
    case replay
    /// Records a cassette that does not exist, in every test of the process that uses it. Plays one that exists.
    case once
    /// Plays the tape, and records the requests that nothing on tape answers.
    case new
    /// Records anew what the test requests. All else on tape stays.
    case all
}

/// The options of a test's session, as one value for traits, test cases of XCTest and blocks.
///
/// ```swift
/// @Test(.cassette("github").select("login", "offline"))
/// try await withTapedeck(.cassette("github").state("cart", "full").seed(7)) { deck in … }
/// override class var tapedeck: TapedeckOptions { .cassette("github", folder: "Fixtures") }
/// ```
///
/// A suite's options apply to its tests, which add theirs.
public struct TapedeckOptions: Sendable {
    /// How bad something is.
    public enum Severity: Sendable {
        /// The test gets an issue that does not fail it, where its framework has such issues; else a line of output.
        case warning
        /// The test fails.
        case error
    }

    /// One over the other: of two that answer a request equally well the first does.
    package var cassettes: [CassetteReference] = []
    /// `nil` for that of the file with the options.
    package var folder: String?
    package var select: [String: String] = [:]
    package var profiles: [String] = []
    package var state: [String: String] = [:]
    package var seed: UInt64?
    package var mode: TapedeckMode?
    package var recordingVariant: String?
    package var allowsUnmatched: Bool?
    package var unused: Severity?
    package var isExclusive: Bool?
    package var match: [Cassette.Part]?
    package var bundle: Bundle?
    /// The last part of ``folder`` as it was given, which is what a bundle calls it.
    package var folderName: String?
    package var stubs: [StubbedRequest] = []
    package var sharedURLSession: Bool?
    package var deck: DeckChoice?
    /// True if the cassette named after the test is one of ``cassettes`` because no other was named there. Any that is named
    /// further inside replaces it.
    package var hasDefaultCassette = false
    /// True if the options are written in the attribute of a test or suite. To the compiler they are at the function or type
    /// behind it.
    package var isInAttribute = false
    /// The line of the options. Errors of a session that has them are reported there, and a relative ``folder`` is
    /// relative to this file's. `nil` without options.
    package var place: CodePlace?

    package init(_ cassettes: [CassetteReference] = [], folder: String? = nil, at place: CodePlace? = nil) {
        self.cassettes = cassettes
        self.folder = folder
        self.folderName = folder?.split(separator: "/").last.map(String.init)
        self.place = place
    }

    /// Options with cassettes, one over the other: of two that answer a request equally well the first does. The first is the
    /// one that is recorded. Without any, nothing but stubs answers.
    ///
    /// They are names or paths, or in memory. `folder` is that of cassettes with a name or a relative path: absolute, or
    /// relative to the folder of this file, which is the default unless a suite has another.
    public static func tapedeck(
        _ cassettes: CassetteReference...,
        folder: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        Self(cassettes, folder: folder, at: CodePlace(fileID, filePath, line, column))
    }

    /// Options with cassettes, as ``tapedeck(_:folder:fileID:filePath:line:column:)``. Without any, each test has a cassette
    /// of its own, ``CassetteReference/namedAfterTest``, unless options further inside name one.
    public static func cassette(
        _ cassettes: CassetteReference...,
        folder: String? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        self.cassette(cassettes, folder: folder, at: CodePlace(fileID, filePath, line, column))
    }

    package static func cassette(_ cassettes: [CassetteReference], folder: String?, at place: CodePlace) -> Self {
        var options = Self(cassettes.isEmpty ? [.namedAfterTest] : cassettes, folder: folder, at: place)
        options.hasDefaultCassette = cassettes.isEmpty
        return options
    }

    /// Has a variant of a response set play.
    public func select(_ variant: String, for set: String) -> Self {
        self.select([set: variant])
    }

    /// Has variants play, by the names of their response sets.
    public func select(_ variants: [String: String]) -> Self {
        self.changing { $0.select.merge(variants) { $1 } }
    }

    /// Applies profiles, the last one on top.
    public func profiles(_ names: String...) -> Self {
        self.changing { $0.profiles += names }
    }

    /// Sets a value of the session's state at its start, over what the cassettes say.
    public func state(_ key: String, _ value: String) -> Self {
        self.state([key: value])
    }

    /// Sets values of the session's state at its start, over what the cassettes say.
    public func state(_ values: [String: String]) -> Self {
        self.changing { $0.state.merge(values) { $1 } }
    }

    /// Sets the seed of all random choices. By default, and with `nil`, it is a new one each time, which a failure reports.
    public func seed(_ seed: UInt64?) -> Self {
        self.changing { $0.seed = seed }
    }

    /// Sets the use of the first cassette. By default, and with `nil`, `TAPEDECK_MODE` decides, else it is
    /// ``TapedeckMode/replay``.
    public func mode(_ mode: TapedeckMode?) -> Self {
        self.changing { $0.mode = mode }
    }

    /// Saves what is recorded, in the mode ``TapedeckMode/all`` or by ``TapedeckMode/once``, as a variant of the response sets:
    /// nothing else on tape changes. In ``TapedeckMode/replay`` the profile of that name is applied on top of the others. By default,
    /// and with `nil`, answers are saved as usual.
    public func recording(as variant: String?) -> Self {
        self.changing { $0.recordingVariant = variant }
    }

    /// Has unmatched requests not fail the test. By default they do.
    public func allowsUnmatched(_ allows: Bool = true) -> Self {
        self.changing { $0.allowsUnmatched = allows }
    }

    /// Makes an unused response set or stub an issue, in modes that play them. By default it is none.
    public func unused(_ severity: Severity) -> Self {
        self.changing { $0.unused = severity }
    }

    /// Plays the cassettes of these options alone: those of outer traits and scopes are left out, with what they select.
    public func exclusive(_ isExclusive: Bool = true) -> Self {
        self.changing { $0.isExclusive = isExclusive }
    }

    /// Compares these parts of requests with the tape, whatever the `match` of a cassette says: `.matching(.method, .path)`
    /// plays for any host and query. At least `path`, `origin` or `url` has to count.
    public func matching(_ parts: Cassette.Part...) -> Self {
        self.changing { $0.match = parts }
    }

    /// Answers requests from the start of the session, as `deck.stub(_:_:)` does.
    public func stub(
        _ matcher: RequestMatcher,
        _ answer: Tapedeck.Answer,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        let place = CodePlace(fileID, filePath, line, column)
        return self.changing { $0.stubs.append(StubbedRequest(matcher: matcher, answer: answer, place: place)) }
    }

    /// Plays the copies of the cassettes in a bundle, such as `Bundle.module`: tests then need no source folder. With
    /// `folder: "Fixtures"` these are in its folder `Fixtures`, or among all its resources where it has no such folder. Where
    /// tests may record, in all modes but ``TapedeckMode/replay``, they use the folder of the sources, from which the next build
    /// fills the bundle.
    public func bundle(_ bundle: Bundle) -> Self {
        self.changing { $0.bundle = bundle }
    }

    /// Has the requests of `URLSession.shared` come to the session too, which it does in the whole process: of the tests that
    /// want it, one at a time has it. Cookies, credentials and cached answers that the test adds to those of the process are
    /// removed at its end. By default the requests go where they would without Tapedeck.
    public func sharedURLSession(_ isShared: Bool = true) -> Self {
        self.changing { $0.sharedURLSession = isShared }
    }

    /// Chooses the deck of the session: ``DeckChoice/automatic`` by default.
    public func deck(_ deck: DeckChoice) -> Self {
        self.changing { $0.deck = deck }
    }

    /// The folder of the cassettes with a name or a relative path.
    ///
    /// - Parameter place: of the session, for options without one.
    package func cassetteFolder(_ mode: TapedeckMode, at place: CodePlace) -> String {
        guard mode == .replay, let bundle = self.bundle else { return self.sourceFolder(at: place) }
        let resources = bundle.resourcePath ?? bundle.bundlePath
        guard let name = self.folderName, FileManager.default.fileExists(atPath: "\(resources)/\(name)") else {
            return resources
        }
        return "\(resources)/\(name)"
    }

    /// The folder that a bundle has its cassettes from.
    func sourceFolder(at place: CodePlace) -> String {
        CassettePath.folder(self.folder, of: (self.place ?? place).filePath)
    }

    private func changing(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns these options with others on top, such as a suite's with those of one of its tests: the others take
    /// precedence, their cassettes come first, and selections, profiles and state are merged.
    public func with(_ other: TapedeckOptions) -> TapedeckOptions {
        var options = self
        // A cassette that both name has the inner one's position.
        let names = Set(other.cassettes.compactMap(\.name))
        let isReplaced = self.hasDefaultCassette && !other.cassettes.isEmpty
        let kept = isReplaced ? self.cassettes.filter { !$0.isNamedAfterTest } : self.cassettes
        let outer = other.isExclusive == true ? [] : kept
        options.hasDefaultCassette = other.cassettes.isEmpty ? self.hasDefaultCassette : other.hasDefaultCassette
        options.cassettes = other.cassettes + outer.filter { $0.name.map { !names.contains($0) } ?? true }
        // Each is relative to the file that says it, which need not be the same.
        options.folder = other.absoluteFolder ?? self.absoluteFolder ?? self.ownFolder
        options.folderName = other.folderName ?? self.folderName
        if other.isExclusive == true {
            options.select = other.select
            options.profiles = other.profiles
        } else {
            options.select.merge(other.select) { $1 }
            options.profiles += other.profiles
        }
        options.state.merge(other.state) { $1 }
        options.seed = other.seed ?? self.seed
        options.mode = other.mode ?? self.mode
        options.recordingVariant = other.recordingVariant ?? self.recordingVariant
        options.allowsUnmatched = other.allowsUnmatched ?? self.allowsUnmatched
        options.unused = other.unused ?? self.unused
        options.sharedURLSession = other.sharedURLSession ?? self.sharedURLSession
        options.match = other.match ?? self.match
        options.bundle = other.bundle ?? self.bundle
        // Of two that match, the newer one answers.
        options.stubs += other.stubs
        options.deck = other.deck ?? self.deck
        options.place = other.place ?? self.place
        return options
    }

    /// The folder, if one is set.
    private var absoluteFolder: String? {
        guard let folder, let place = self.place else { return self.folder }
        return CassettePath.folder(folder, of: place.filePath)
    }

    /// The folder of a file that names cassettes without a folder.
    private var ownFolder: String? {
        guard let place = self.place, !self.cassettes.isEmpty else { return nil }
        return CassettePath.folder(nil, of: place.filePath)
    }
}

/// A request that a test's options answer.
package struct StubbedRequest: Sendable {
    var matcher: RequestMatcher
    var answer: Tapedeck.Answer
    var place: CodePlace
}
