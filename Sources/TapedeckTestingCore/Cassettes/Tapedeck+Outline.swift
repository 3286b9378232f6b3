/// The contents of a cassette's file, for the arguments of a test. No deck is involved: the file is read where the test
/// runs.
extension Tapedeck {
    /// The names of a response set's variants, in the order of the file.
    ///
    /// A test that uses them as its arguments has a test case for each, including variants that are recorded later:
    ///
    /// ```swift
    /// @Test(.cassette("Fixtures/github"), arguments: try Tapedeck.variants(of: "login", in: "Fixtures/github"))
    /// func survivesEveryAnswer(variant: String) async throws {
    ///     let deck = try Tapedeck.current
    ///     try await deck.select(variant, for: "login")
    /// }
    /// ```
    ///
    /// Built-in variants, such as `server-error`, are not included.
    ///
    /// - Parameters:
    ///   - set: the response set's name.
    ///   - cassette: a name such as `github` for `github.yaml`, or a path.
    ///   - folder: the base folder of the name: absolute, or relative to the folder of the test's file, which is the
    ///     default.
    ///   - filePath: the test's file.
    /// - Returns: at least one name.
    /// - Throws: ``TapedeckError`` if the file does not exist, if it is not a cassette, with the line of an error in
    ///   its YAML, and if the set does not exist, with the existing ones.
    public static func variants(
        of set: String,
        in cassette: String,
        folder: String? = nil,
        filePath: StaticString = #filePath
    ) throws -> [String] {
        try self.outline(cassette, folder, filePath).variants(of: set)
    }

    /// The names of a cassette's response sets, in the order of the file.
    ///
    /// - Parameters:
    ///   - cassette: a name such as `github` for `github.yaml`, or a path.
    ///   - folder: the base folder of the name: absolute, or relative to the folder of the test's file, which is the
    ///     default.
    ///   - filePath: the test's file.
    /// - Throws: ``TapedeckError`` if the file does not exist, if it is not a cassette, and with the line of an error
    ///   in its YAML.
    public static func responseSets(
        in cassette: String,
        folder: String? = nil,
        filePath: StaticString = #filePath
    ) throws -> [String] {
        try self.outline(cassette, folder, filePath).sets.map(\.name)
    }

    private static func outline(
        _ cassette: String,
        _ folder: String?,
        _ filePath: StaticString
    ) throws(TapedeckError) -> CassetteOutline {
        let folder = CassettePath.folder(folder, of: "\(filePath)")
        return try CassetteOutline(CassettePath(cassette, folder: folder))
    }
}
