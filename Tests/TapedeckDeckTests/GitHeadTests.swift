import Foundation
import Testing

@testable import TapedeckDeck

/// The commit and the branch that git's files name.
@Suite struct GitHeadTests {
    private static let commit = "3f9c2b7d1e8a4f60b5d2c7e9a1f3048b6d5e7c92"

    /// Writes the files of a repository, and removes them with the test.
    private final class Repository {
        let path = FileManager.default.temporaryDirectory.path + "/tapedeck-git-\(UUID().uuidString)"

        init(_ files: [String: String]) throws {
            for (name, text) in files {
                let file = URL(fileURLWithPath: "\(self.path)/.git/\(name)")
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(text.utf8).write(to: file)
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: self.path) }
    }

    @Test func `a branch and its commit, from a folder below`() throws {
        let repository = try Repository([
            "HEAD": "ref: refs/heads/feature/login\n", "refs/heads/feature/login": "\(Self.commit)\n",
        ])
        let head = try #require(GitHead(of: repository.path + "/Sources/App"))
        #expect(head.branch == "feature/login")
        #expect(head.commit == Self.commit)
    }

    @Test func `a commit among the packed ones`() throws {
        let repository = try Repository([
            "HEAD": "ref: refs/heads/main\n",
            "packed-refs": """
            # pack-refs with: peeled fully-peeled sorted
            b81d06e2a4c97f53e0d9b8a7c6f5e4d3c2b1a098 refs/heads/main-2
            \(Self.commit) refs/heads/main

            """,
        ])
        let head = try #require(GitHead(of: repository.path))
        #expect(head.branch == "main")
        #expect(head.commit == Self.commit)
    }

    @Test func `a commit without a branch, and a branch without a commit`() throws {
        let detached = try Repository(["HEAD": "\(Self.commit)\n"])
        let head = try #require(GitHead(of: detached.path))
        #expect(head.branch == nil)
        #expect(head.commit == Self.commit)
        let new = try Repository(["HEAD": "ref: refs/heads/main\n"])
        let first = try #require(GitHead(of: new.path))
        #expect(first.branch == "main")
        #expect(first.commit == nil)
    }

    @Test func `no repository`() {
        #expect(GitHead(of: "/no/such/folder") == nil)
        #expect(GitHead(of: "") == nil)
    }
}
