/// A file or a folder of a tar archive, without its content.
package struct TarEntry: Sendable, Equatable {
    /// As the archive has it.
    package var path: String
    package var isFolder = false
    /// The size of the content, in bytes.
    package var size = 0
    /// When the file was written, in seconds since 1970.
    package var modified: Int64 = 0
    /// The sender's expectation of this file's place at the receiver; see ``Precondition``.
    package var precondition: String?

    package init(path: String, isFolder: Bool = false, size: Int = 0, modified: Int64 = 0, precondition: String? = nil)
    {
        self.path = path
        self.isFolder = isFolder
        self.size = size
        self.modified = modified
        self.precondition = precondition
    }

    /// The keyword of ``precondition`` in a pax header. Other programs pass over keywords that they do not know.
    static let preconditionKey = "TAPEDECK.precondition"
    /// Headers and contents fill whole blocks of this many bytes.
    static let blockSize = 512

    /// The end of the year 9999, in seconds since 1970: times beyond have no usual way to be written.
    static let latest: Int64 = 253_402_300_799

    /// Returns the number of padding bytes after the content.
    static func padding(_ size: Int) -> Int { (self.blockSize - size % self.blockSize) % self.blockSize }
}
