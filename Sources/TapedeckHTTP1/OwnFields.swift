/// The header fields by which Tapedeck speaks for itself: `X-Tapedeck-…`. Those of an origin are dropped, on the wire and on
/// tape: a client could not tell them from Tapedeck's own.
package enum OwnFields {
    private static let prefix = "x-tapedeck-"

    /// - Parameter name: in lower case.
    package static func contains(_ name: String) -> Bool { name.hasPrefix(self.prefix) }
}
