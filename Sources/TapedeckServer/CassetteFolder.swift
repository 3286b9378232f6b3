package import TapedeckCassettes

/// Where cassettes named by a bare name are looked up.
package enum CassetteFolder {
    /// `folder`, else `TAPEDECK_CASSETTES`, else `cassettes`.
    package static func location(_ reference: String, folder: String?) -> CassetteLocation {
        CassetteLocation(reference, folder: folder ?? ProcessEnvironment.value("TAPEDECK_CASSETTES") ?? "cassettes")
    }
}
