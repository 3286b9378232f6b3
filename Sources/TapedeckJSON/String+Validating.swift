extension String {
    /// Reads bytes that are to be UTF-8.
    ///
    /// - Returns: `nil` if they are not.
    package init?(utf8 bytes: some Collection<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            // Puts something else in the place of what is no UTF-8.
            self.init(decoding: bytes, as: UTF8.self)
            guard self.utf8.elementsEqual(bytes) else { return nil }
        }
    }
}
