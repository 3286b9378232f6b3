/// An archive of cassettes that is made piece by piece, so that it is never in memory as a whole. Cassettes come in the order
/// of their names, each with its body files behind it, all of one state; the same contents and times give the same bytes.
package struct ArchiveSource: Sendable {
    /// The maximum number of a cassette's body files that are opened before the first is read: they stay the same,
    /// whatever replaces them meanwhile. Further ones must still exist when they are read.
    private static let openLimit = 64

    /// The next step for the current cassette.
    private enum Step: Sendable {
        case bytes([UInt8])
        case content(SignedFile)
        case body(CassetteBundle.Body, of: String)
    }

    private var cassettes: [(location: CassetteLocation, precondition: Precondition?)]
    private var steps: [Step] = []
    /// Paths that are in the archive: several cassettes may name the same file.
    private var written: Set<String> = []
    private let folder: String
    private var isOver = false

    /// - Parameters:
    ///   - cassettes: what is put into it, with what is noted for each about its receiver.
    ///   - folder: that of the cassettes; paths in the archive are relative to it.
    package init(_ cassettes: [(location: CassetteLocation, precondition: Precondition?)], in folder: ArchiveFolder) {
        self.cassettes = cassettes.sorted { $0.location.name > $1.location.name }
        self.folder = folder.path
    }

    /// The next bytes, at most 256 KiB or a cassette's own file; `nil` at the end. Reads files.
    ///
    /// - Throws: `FileError`; ``ArchiveError`` when a cassette changed while it was being read. The archive is useless then.
    package mutating func next() throws -> [UInt8]? {
        while true {
            if let step = self.steps.popLast() {
                switch step {
                case .bytes(let bytes):
                    return bytes
                case .content(let file):
                    guard let piece = try file.read() else { continue }
                    self.steps.append(step)
                    return piece
                case .body(let body, let name):
                    self.steps.append(.content(try SignedFile(body.path, body.signature, of: name)))
                }
            } else if let (location, precondition) = self.cassettes.popLast() {
                try self.begin(location, precondition)
            } else if !self.isOver {
                self.isOver = true
                return TarWriter.end
            } else {
                return nil
            }
        }
    }

    private mutating func begin(_ location: CassetteLocation, _ precondition: Precondition?) throws {
        let (bundle, open) = try CassetteBundle.turns.take(location.path) {
            let bundle = try CassetteBundle(inTurn: location)
            for body in bundle.bodies where !CassetteName.isWithin(self.folder, body.path) {
                throw ArchiveError(
                    "a link leads from \(body.name) of \(location.name) out of the folder of cassettes; put the file itself there"
                )
            }
            let open = try bundle.bodies.prefix(Self.openLimit).map {
                try SignedFile($0.path, $0.signature, of: location.name)
            }
            return (bundle, open)
        }
        let path = self.relative(location.path)
        var steps: [Step] = []
        steps.append(
            .bytes(
                TarWriter.header(
                    TarEntry(
                        path: path,
                        size: bundle.source.count,
                        modified: bundle.signature.modified,
                        precondition: precondition?.text
                    )
                ) + bundle.source + TarWriter.padding(bundle.source.count)
            )
        )
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        for (index, body) in bundle.bodies.enumerated() where self.written.insert(folder + body.name).inserted {
            let size = body.signature.size
            let entry = TarEntry(path: folder + body.name, size: size, modified: body.signature.modified)
            steps.append(.bytes(TarWriter.header(entry)))
            steps.append(index < open.count ? .content(open[index]) : .body(body, of: location.name))
            if TarEntry.padding(size) > 0 { steps.append(.bytes(TarWriter.padding(size))) }
        }
        self.steps = steps.reversed()
    }

    private func relative(_ path: String) -> String {
        let prefix = self.folder.hasSuffix("/") ? self.folder : "\(self.folder)/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}
