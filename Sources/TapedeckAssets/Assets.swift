import CTapedeckAssets

/// The files that are part of the program, which `CTapedeckAssets.c` lists.
package enum Assets {
    /// Returns a file, which must be listed.
    ///
    /// - Parameter path: the path in the folder `Sources`, or that of a page in `docs`.
    package static func file(_ path: String) -> [UInt8] {
        guard let file = Self.all.first(where: { String(cString: $0.path) == path }) else {
            preconditionFailure("\(path) is not listed in CTapedeckAssets.c")
        }
        return Self.bytes(of: file)
    }

    /// Returns the files in a folder, in the order of their names.
    ///
    /// - Parameter path: the path in the folder `Sources`, or `docs`.
    package static func folder(_ path: String) -> [(name: String, bytes: [UInt8])] {
        let start = path + "/"
        return Self.all.compactMap { file in
            let path = String(cString: file.path)
            return path.hasPrefix(start) ? (String(path.dropFirst(start.count)), Self.bytes(of: file)) : nil
        }
        .sorted { $0.name < $1.name }
    }

    private static var all: some Sequence<tapedeck_asset> {
        (0...).lazy.map { tapedeck_asset($0) }.prefix { $0.path != nil }
    }

    private static func bytes(of file: tapedeck_asset) -> [UInt8] {
        [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
}
