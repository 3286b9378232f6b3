/// One item of `GET /v1/cassette-versions`: identifies the content of a cassette with its body files.
package struct CassetteVersionModel: Codable, Sendable, Equatable {
    package var name: String
    /// A digest of the content, independent of place and time.
    package var digest: String
    /// When the newest of its files was written (RFC 3339), by the clock of the machine that wrote it.
    package var modified: String
    /// The size of its files, in bytes.
    package var size: Int
    /// The cassette's own and its body files.
    package var files: Int
    /// The reason why it cannot be in an archive; missing if it can. There is no digest then.
    package var problem: String?

    package init(
        name: String,
        digest: String,
        modified: String,
        size: Int,
        files: Int,
        problem: String? = nil
    ) {
        self.name = name
        self.digest = digest
        self.modified = modified
        self.size = size
        self.files = files
        self.problem = problem
    }
}

/// `GET /v1/cassette-versions`.
package struct CassetteVersionList: Codable, Sendable, Equatable {
    /// By name.
    package var cassettes: [CassetteVersionModel]
    /// The time of the deck's clock (RFC 3339).
    package var time: String

    package init(cassettes: [CassetteVersionModel], time: String) {
        self.cassettes = cassettes
        self.time = time
    }
}

/// The result for a cassette of an archive.
package struct ArchiveOutcomeModel: Codable, Sendable, Equatable {
    package var name: String
    /// `created`, `replaced`, `unchanged` or `refused`.
    package var outcome: String
    /// The reason of a refusal: `changed`, `recording`, `unsound`, `misplaced` or `not-writable`.
    package var reason: String?
    /// The reason for people, with what to do about it.
    package var detail: String?

    package init(name: String, outcome: String, reason: String? = nil, detail: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.reason = reason
        self.detail = detail
    }
}

/// `POST /v1/cassettes.tar`.
package struct ArchiveResult: Codable, Sendable, Equatable {
    /// By name.
    package var cassettes: [ArchiveOutcomeModel]

    package init(cassettes: [ArchiveOutcomeModel]) {
        self.cassettes = cassettes
    }
}
