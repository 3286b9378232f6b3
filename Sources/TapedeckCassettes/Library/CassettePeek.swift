import TapedeckCore
import TapedeckYAML

/// The summary of a cassette's file, found without reading the model.
struct CassettePeek: Sendable {
    /// The file that was looked into.
    var signature: FileSignature
    var about: String?
    var responseSets = 0
    var profiles: [String] = []
    /// An error in it, if one shows.
    var problem: String?
    /// True if it declares the format of a cassette.
    var hasFormat = false

    /// A file beyond this size is not looked into. 64 MiB.
    private static let sizeLimit = 64 << 20

    init(_ path: String, signature: FileSignature) {
        self.signature = signature
        guard signature.size <= Self.sizeLimit else {
            self.hasFormat = true
            self.problem = "the file is too large to look into; play it, or check it"
            return
        }
        do {
            let root = try YAMLDocument(parsing: try FileContents.read(path)).root
            self.hasFormat = root?["tapedeck"] != nil
            self.about = root?["about"]?.string
            self.responseSets = root?["responseSets"]?.items.underestimatedCount ?? 0
            self.profiles = root?["profiles"]?.pairs.map(\.key.string) ?? []
            if !self.hasFormat { self.problem = "this is no cassette: one begins with `tapedeck: 1`" }
        } catch let error as YAMLError {
            // It counts as a cassette, so that its errors are reported.
            self.hasFormat = true
            self.problem = error.description
        } catch {
            self.hasFormat = true
            self.problem = "\(error)"
        }
    }
}
