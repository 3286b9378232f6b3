import TapedeckCassettes
import TapedeckCore
import TapedeckPlatform

extension Surroundings {
    /// The working folder, the host's name and the environment variables of this process that tell where and what is run, which
    /// a command behind `--` inherits. Without values that many things have.
    static var ofProcess: Surroundings {
        var values: [String: [String]] = [:]
        let variables = ProcessEnvironment.variables
        for (name, value) in variables where Self.counts(name, value) { values[name] = [value] }
        // Programs use /tmp where the variable is missing (IEEE Std 1003.1, section 8.3).
        if values["TMPDIR"] == nil { values["TMPDIR"] = ["/tmp"] }
        let folder = WorkingFolder.canonical(".")
        if folder.utf8.count > 1 { values[Self.folder] = [folder] }
        var name = [CChar](repeating: 0, count: 256)
        if gethostname(&name, name.count - 1) == 0 {
            let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !host.isEmpty, host != "localhost" { values[Self.host] = [host] }
        }
        var surroundings = Surroundings(values)
        let head = GitHead(of: folder)
        func first(_ names: [String]) -> String? { names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty } }
        // A build has the commit checked out, and no branch.
        surroundings.add(
            commit: head?.commit ?? first(Self.commitVariables),
            branch: first(Self.branchVariables) ?? head?.branch
        )
        return surroundings
    }

    private static let commitVariables = [
        "GITHUB_SHA", "CI_COMMIT_SHA", "CIRCLE_SHA1", "GIT_COMMIT", "BUILDKITE_COMMIT",
    ]
    private static let branchVariables = [
        "GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "CIRCLE_BRANCH", "GIT_BRANCH", "BUILDKITE_BRANCH",
    ]

    private static let common: Set<String> = ["true", "false", "yes", "no", "on", "off", "none", "null"]
    /// Variables that say where, by whom and what is run. Others may be private.
    private static let names: Set<String> = [
        "HOME", "PWD", "USER", "LOGNAME", "USERNAME", "HOSTNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "SHELL", "TERM",
    ]
    private static let parts = [
        "VERSION", "BUILD", "BRANCH", "COMMIT", "REVISION", "RUN_ID", "RUN_NUMBER", "LC_", "GIT_",
    ]

    private static func counts(_ name: String, _ value: String) -> Bool {
        let isOfBuild = Surroundings.isOfBuild(name)
        let isNamed = self.names.contains(name) || self.parts.contains(where: name.containsText)
        return isNamed && !name.hasPrefix("TAPEDECK") && !SecretMasking.hides(name)
            && ((isOfBuild ? 1 : 2)...256).contains(value.utf8.count)
            && !self.common.contains(ASCII.lowercased(value))
    }
}
