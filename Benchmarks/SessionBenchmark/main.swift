// The cost of sessions: the time to create and end one, and the memory of many, on a shared tape. See
// Benchmarks/README.md.

import Logging
import TapedeckCassettes
import TapedeckCore
import TapedeckSessions
import TapedeckTLS

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The memory of this process that is in use, in bytes.
func residentBytes() throws -> Int {
    let text = String(decoding: try FileContents.read("/proc/self/statm"), as: UTF8.self)
    let pages = text.split(separator: " ").compactMap { Int($0) }
    return (pages.count > 1 ? pages[1] : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}

let count = 10_000
let folder = "/tmp/tapedeck-session-benchmark.\(getpid())"
try FileContents.makeFolder(folder)
defer { FileContents.removeFolder(folder) }
let sets = (0..<100).map { number in
    """
      - name: set \(number)
        request: { method: GET, url: https://api.example.test/\(number) }
        variants:
          - name: found
            takes: [{ status: 200 }, { status: 201 }]
          - name: gone
            takes: [{ status: 404 }]

    """
}
let location = CassetteLocation("tape", folder: folder)
try FileContents.replace(location.path, with: Array(("tapedeck: 1\nresponseSets:\n" + sets.joined()).utf8))
let directory = SessionDirectory(
    SessionDirectory.Configuration(allowsDialling: false),
    library: CassetteLibrary(folder: folder, store: CassetteStore { SHA256.hexDigest(of: $0) }),
    default: nil,
    log: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
)

func request(_ number: Int) -> SessionDirectory.Request {
    var request = SessionDirectory.Request(mode: .replay, cassettes: [location])
    request.name = "test \(number)"
    request.selections = [(set: "set \(number % 100)", variant: "gone")]
    return request
}

// The first one loads the cassette.
_ = try directory.create(request(0))
let clock = ContinuousClock()
let before = try residentBytes()
var sessions: [Session] = []
let making = try clock.measure { for number in 0..<count { sessions.append(try directory.create(request(number))) } }
let made = try residentBytes()
let asking = clock.measure {
    for (number, session) in sessions.enumerated() {
        guard let url = AbsoluteURL("https://api.example.test/\(number % 100)") else { continue }
        _ = session.answer(MatchRequest(RequestKey(method: "GET", url: url)))
    }
}
let asked = try residentBytes()
let ids = sessions.map(\.id)
sessions = []
let start = clock.now
for id in ids { _ = await directory.end(id) }
let ending = clock.now - start

func microseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let tenths = (seconds * 10_000_000 + attoseconds / 100_000_000_000) / Int64(count)
    return "\(tenths / 10).\(tenths % 10) µs"
}

print("\(count) sessions that share a tape of 100 response sets, a variant selected in each")
print("  to make one           \(microseconds(making))")
print("  a request to each     \(microseconds(asking))")
print("  to end one            \(microseconds(ending))")
print("  memory of one, made   \((made - before) / count) bytes")
print("  memory of one, asked  \((asked - before) / count) bytes")
