/// A body of the type `multipart/form-data` (RFC 7578), or of another multipart type, whose parts have no names.
///
/// The parts stand for themselves: boundaries, and what comes before the first and behind the last, are left out.
package struct MultipartBody: Sendable {
    package struct Part: Sendable {
        /// From Content-Disposition; `nil` when it has none.
        package var name: String?
        package var filename: String?
        /// In their order, as ``ByteText``.
        package var headers: [(name: String, value: String)]
        /// As it was sent; without one a part is `text/plain`.
        package var contentType: String?
        package var content: [UInt8]
    }

    /// How many parts a body may have.
    package static let partLimit = 1_000

    package var parts: [Part]

    /// `nil` when the content type is no multipart type with a boundary, when the body breaks off or is not
    /// well-formed, or when it has more than 1,000 parts.
    package init?(_ bytes: UnsafeRawBufferPointer, contentType: String) {
        guard let type = HeaderParameters(contentType), type.word.hasPrefix("multipart/"),
            let boundary = type["boundary"], (1...70).contains(boundary.utf8.count)
        else { return nil }
        var parser = MultipartParser(bytes, boundary: boundary)
        guard let parts = parser.parts() else { return nil }
        self.parts = parts
    }
}
