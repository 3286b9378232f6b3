import TapedeckCassettes
import TapedeckDeck

/// A folder of a git repository as it was at a revision, laid out among temporary files. It is removed with this object.
///
/// The repository is left as it is: its index and its working tree are not used.
final class GitRevision {
    /// The folder at that revision. It does not exist if the revision does not have it.
    let folder: String
    private let temporary: String

    /// - Parameters:
    ///   - revision: any git revision, such as a branch, a tag or `HEAD~2`.
    ///   - folder: a folder of the working tree.
    /// - Throws: ``DeckError`` if git, the repository or the revision is missing.
    init(_ revision: String, of folder: String) throws(DeckError) {
        self.temporary = ProcessEnvironment.temporaryFolder("tapedeck-revision")
        self.folder = FilePath.join(self.temporary, "tree")
        do {
            try FileContents.makeFolder(self.temporary, mode: 0o700)
        } catch {
            throw DeckError(error)
        }
        let place = try self.git("-C", folder, "rev-parse", "--show-toplevel", "--show-prefix")
        let lines = place.split(separator: "\n", omittingEmptySubsequences: false)
        guard let top = lines.first.map(String.init) else {
            throw DeckError("git does not say where the repository of \(folder) is")
        }
        let prefix = lines.count > 1 ? lines[1] : ""
        do {
            _ = try self.git("-C", top, "rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}")
        } catch {
            throw DeckError("git knows no revision \(revision): give a commit, a branch or a tag", kind: .badOption)
        }
        let tree = "\(revision):\(prefix)"
        guard (try? self.git("-C", top, "cat-file", "-e", tree)) != nil else { return }
        _ = try self.git("-C", top, "read-tree", tree)
        _ = try self.git("-C", top, "checkout-index", "--all", "--quiet", "--prefix=\(self.folder)/")
    }

    deinit {
        FileContents.removeTree(self.temporary)
    }

    /// Runs git with an index of its own. Returns its output.
    private func git(_ arguments: String...) throws(DeckError) -> String {
        var environment = ProcessEnvironment.variables
        environment["GIT_INDEX_FILE"] = FilePath.join(self.temporary, "index")
        let files = (output: FilePath.join(self.temporary, "output"), errors: FilePath.join(self.temporary, "errors"))
        do {
            let status = try ChildProcess(["git"] + arguments, environment: environment, files: files).wait()
            let text = String(decoding: try FileContents.read(status == 0 ? files.output : files.errors), as: UTF8.self)
            guard status == 0 else {
                throw DeckError("git fails: \(text.split(separator: "\n").first ?? "it says nothing")")
            }
            return text
        } catch let error as ChildProcess.Failure {
            throw DeckError("\(error.message); comparing with a revision needs git")
        } catch {
            throw DeckError(error)
        }
    }
}
