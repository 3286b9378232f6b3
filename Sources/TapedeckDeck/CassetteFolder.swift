package import TapedeckCassettes

/// The folder of cassettes with a bare name.
package enum CassetteFolder {
    /// `folder`, else `TAPEDECK_CASSETTES`, else `cassettes`.
    package static func path(_ folder: String?) -> String {
        folder ?? ProcessEnvironment.value("TAPEDECK_CASSETTES") ?? "cassettes"
    }

    /// True if there is a file for a cassette of this name or path.
    package static func exists(_ reference: String, folder: String?) -> Bool {
        FileContents.exists(self.location(reference, folder: folder).path)
    }

    /// Returns the location of a cassette, by its name in that folder or by its path.
    package static func location(_ reference: String, folder: String?) -> CassetteLocation {
        CassetteLocation(reference, folder: self.path(folder))
    }
}
