import ArgumentParser

extension ExitStatus {
    /// There is something that was asked for: a difference, something to prune.
    static let different = ExitCode(1)
}
