import Foundation
import Testing

@testable import TapedeckDeck

@Suite struct IsolationTests {
    @Test func `ports with a listener for this machine are found`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
               1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2
               2: 0100007F:9C40 0100007F:1538 01 00000000:00000000 00:00000000 00000000     0        0 3
               3: 0A00020F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4
            """
        #expect(LoopbackPort.listening(in: table, isIPv6: false).map(\.port) == [22, 5432])
        let table6 = """
              sl  local_address                         remote_address                        st
               0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A
            """
        #expect(LoopbackPort.listening(in: table6, isIPv6: true) == [LoopbackPort(port: 8080, isIPv6: true)])
    }

    @Test func `a port of an origin is not one of the machine's`() {
        let listening = [53, 443, 4010, 8080, 9999].map { LoopbackPort(port: $0, isIPv6: false) }
        let ports = IsolatedPorts(origins: [8080], own: [9999], listening: listening)
        #expect(ports.origins == [80, 443, 8080])
        #expect(ports.loopback.map(\.port) == [9999, 4010])
        #expect(ports.foreign == [4010])
    }

    @Test func `services beyond the limit are those of the highest ports, and counted`() {
        let listening =
            [5432, 40_000, 80, 50_000].map { LoopbackPort(port: $0, isIPv6: false) }
            + [6379, 40_000].map { LoopbackPort(port: $0, isIPv6: true) }
        let ports = IsolatedPorts(origins: [], own: [], listening: listening, limit: 2)
        #expect(ports.foreign == [5432, 6379])
        #expect(ports.leftOut == 2)
    }

    @Test func `the port of an origin is the origin's, even if the deck has the same one outside`() {
        let ports = IsolatedPorts(origins: [9999], own: [9999, 9998], listening: [])
        #expect(ports.origins == [80, 443, 9999])
        #expect(ports.loopback.map(\.port) == [9998])
    }

    @Test func `host names come from no service of the machine`() {
        let text = "passwd: files\nhosts:  files resolve [!UNAVAIL=return] dns\nnetworks: files\n"
        #expect(IsolationFiles.resolvingByFiles(text) == "passwd: files\nhosts: files dns\nnetworks: files\n")
    }

    @Test func `Java's stores are found by JAVA_HOME, PATH and the user's home, each once`() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("tapedeck-java-\(UUID().uuidString)")
        defer { try? files.removeItem(at: folder) }
        let root = folder.path
        let stores = ["named", "linked", "user/.jdks/own"].map { "\(root)/\($0)/lib/security/cacerts" }
        for store in stores {
            let parent = (store as NSString).deletingLastPathComponent
            try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
            #expect(files.createFile(atPath: store, contents: nil))
        }
        for name in ["linked/bin", "path"] {
            try files.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
        }
        #expect(files.createFile(atPath: "\(root)/linked/bin/java", contents: nil))
        try files.createSymbolicLink(atPath: "\(root)/path/java", withDestinationPath: "\(root)/linked/bin/java")
        let found = JavaStores.paths(environment: [
            "JAVA_HOME": "\(root)/named", "PATH": "\(root)/path:\(root)/linked/bin", "HOME": "\(root)/user",
        ])
        #expect(found.filter { $0.hasPrefix(root) } == stores)
    }
}
