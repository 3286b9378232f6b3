/// Which cassette a session plays.
public enum CassetteReference: Sendable, ExpressibleByStringLiteral {
    /// A file: a name such as `github` for `github.yaml`, or a path, in the folder of the options or absolute.
    case named(String)
    /// One that is built in Swift. No disk is touched.
    case inMemory(Cassette, name: String = "cassette")
    /// Files by their path, such as `login.yaml` and the body file `login/photo.png`. No disk is touched. Every file
    /// in no folder that is a cassette is played, and one at least has to be there.
    case files([String: String])

    public init(stringLiteral name: String) {
        self = .named(name)
    }

    /// Of a file; `nil` for what is in memory.
    var name: String? {
        if case .named(let name) = self { name } else { nil }
    }
}
