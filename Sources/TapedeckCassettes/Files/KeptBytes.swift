import TapedeckCodings
package import TapedeckCore

extension KeptBytes {
    /// Returns the coded bytes, if they decode to `body`: a person may have edited the body since, or it may have a
    /// secret's value.
    ///
    /// - Throws: `FileError` if the file cannot be read.
    package func bytes(of body: [UInt8], _ codings: [ContentCoding]) throws -> [UInt8]? {
        let coded: [UInt8] =
            switch self {
            case .bytes(let bytes): bytes
            case .file(let file): try FileContents.read(file.path)
            }
        // Between two codings it may be larger than at either end.
        let limit = 2 * max(body.count, coded.count) + (1 << 16)
        guard let content = try? ContentCoder.decode(coded, codings, limit: limit), content == body else {
            return nil
        }
        return coded
    }
}
