/// What a document may ask of the reader.
package struct YAMLLimits: Equatable, Sendable {
    /// The largest text that is read, in bytes; 1 GiB unless told. Values above 4 GiB count as 4 GiB.
    package var maximumBytes: Int

    /// How deep collections may be nested; 64 unless told.
    package var maximumDepth: Int

    /// Makes limits; both have a default.
    package init(maximumBytes: Int = 1 << 30, maximumDepth: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
    }
}
