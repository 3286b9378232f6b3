/// `GET /v1/health` and `/v1/ready`.
package struct HealthModel: Codable, Sendable, Equatable {
    /// `ok`, or `stopping`.
    package var status: String

    package init(status: String) {
        self.status = status
    }
}

/// `GET /v1/version`.
package struct VersionModel: Codable, Sendable, Equatable {
    package var version: String
    /// The version of the API: 1.
    package var api: Int

    package init(version: String, api: Int = 1) {
        self.version = version
        self.api = api
    }
}

/// `GET /v1/deck`: what the deck is and where.
package struct DeckModel: Codable, Sendable, Equatable {
    package var version: String
    /// The version of the API: 1.
    package var api: Int
    /// The prefix of its sessions' ids, if the deck has a name.
    package var name: String?
    /// The mode of the session of requests that name none; missing where every request must name one.
    package var mode: String?
    /// The proxy URL for clients, such as `http://127.0.0.1:4747`.
    package var proxyURL: String
    package var controlURL: String
    /// The origin that requests without one are for, if the deck is a base URL.
    package var reverse: String?
    /// True if every request must name a session.
    package var requiresSession: Bool
    /// True if sessions may contact live servers, and so record.
    package var allowsDialling: Bool
    /// True if a session may name cassettes by absolute paths: a deck inside a test process, which uses the test's
    /// disk.
    package var takesPaths: Bool?
    /// Live sessions.
    package var sessions: Int
    /// The current use of all sessions together.
    package var inUse: InUse?

    /// The use that counts against the deck's limits.
    package struct InUse: Codable, Sendable, Equatable {
        /// Client connections.
        package var connections: Int
        /// Requests that are not answered yet.
        package var requests: Int
        /// The disk space of recordings that are not saved yet, in bytes.
        package var disk: Int
        /// Files that came with sessions, in bytes.
        package var files: Int

        package init(connections: Int, requests: Int, disk: Int, files: Int) {
            self.connections = connections
            self.requests = requests
            self.disk = disk
            self.files = files
        }
    }

    package init(
        version: String,
        api: Int = 1,
        name: String? = nil,
        mode: String? = nil,
        proxyURL: String,
        controlURL: String,
        reverse: String? = nil,
        requiresSession: Bool,
        allowsDialling: Bool,
        takesPaths: Bool? = nil,
        sessions: Int
    ) {
        self.version = version
        self.api = api
        self.name = name
        self.mode = mode
        self.proxyURL = proxyURL
        self.controlURL = controlURL
        self.reverse = reverse
        self.requiresSession = requiresSession
        self.allowsDialling = allowsDialling
        self.takesPaths = takesPaths
        self.sessions = sessions
    }
}

/// An error, as RFC 9457 has it; `application/problem+json`.
package struct ProblemModel: Codable, Sendable, Equatable, Error, CustomStringConvertible {
    /// A word for programs behind `https://tapedeck.local/problems/`, such as `…/unknown-session`.
    package var type: String
    package var title: String
    package var status: Int
    /// The error of this request, and how to fix it.
    package var detail: String
    /// For a body that is not right: what is wrong where.
    package var errors: [Detail]?
    /// For an archive of which something was not taken: what became of each cassette.
    package var cassettes: [ArchiveOutcomeModel]?

    package struct Detail: Codable, Sendable, Equatable {
        /// A JSON pointer (RFC 6901) into the body.
        package var pointer: String
        package var detail: String

        package init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    package init(type: String, title: String, status: Int, detail: String, errors: [Detail]? = nil) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.errors = errors
    }

    package var description: String { self.detail }
}

/// One item of `GET /v1/cassettes`.
package struct CassetteModel: Codable, Sendable, Equatable {
    package var name: String
    package var about: String?
    package var responseSets: Int
    package var profiles: [String]
    /// The error in the file; missing if it can be used.
    package var problem: String?
    /// True if a session plays it.
    package var isPlaying: Bool

    package init(
        name: String,
        about: String? = nil,
        responseSets: Int,
        profiles: [String] = [],
        problem: String? = nil,
        isPlaying: Bool
    ) {
        self.name = name
        self.about = about
        self.responseSets = responseSets
        self.profiles = profiles
        self.problem = problem
        self.isPlaying = isPlaying
    }
}

/// `GET /v1/cassettes`.
package struct CassetteList: Codable, Sendable, Equatable {
    package var cassettes: [CassetteModel]

    package init(cassettes: [CassetteModel]) {
        self.cassettes = cassettes
    }
}

/// `GET /v1/cassettes/{name}/check`, and the answer to a reload.
package struct CassetteCheckModel: Codable, Sendable, Equatable {
    package struct Diagnostic: Codable, Sendable, Equatable {
        /// `error` or `warning`.
        package var severity: String
        package var line: Int
        package var column: Int
        package var message: String

        package init(severity: String, line: Int, column: Int, message: String) {
            self.severity = severity
            self.line = line
            self.column = column
            self.message = message
        }
    }

    package var name: String
    package var isUsable: Bool
    package var diagnostics: [Diagnostic]
    /// After a reload: whether what is played is different now.
    package var changed: Bool?

    package init(name: String, isUsable: Bool, diagnostics: [Diagnostic], changed: Bool? = nil) {
        self.name = name
        self.isUsable = isUsable
        self.diagnostics = diagnostics
        self.changed = changed
    }
}
