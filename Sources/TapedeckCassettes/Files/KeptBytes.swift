import TapedeckCodings
package import TapedeckCore

extension KeptBytes {
    /// The coded bytes, if the file or the bytes decode to `body`: a person may have edited the body since, or a secret's
    /// value stands in it.
    ///
    /// - Throws: `FileError` when the file cannot be read.
    package func bytes(of body: [UInt8], _ codings: [ContentCoding]) throws -> [UInt8]? {
        let coded: [UInt8] =
            switch self {
            case .bytes(let bytes): bytes
            case .file(let file): try FileContents.read(file.path)
            }
        guard let content = try? ContentCoder.decode(coded, codings, limit: body.count), content == body else {
            return nil
        }
        return coded
    }
}
