import TapedeckPlatform

extension CertificateAuthority {
    private struct Paths {
        var directory: String
        var key: String
        var certificate: String
        var lock: String

        init(_ directory: String) {
            self.directory = directory
            self.key = directory + "/ca-key.pem"
            self.certificate = directory + "/ca.pem"
            self.lock = directory + "/ca.lock"
        }
    }

    /// Returns the authority in `ca-key.pem` and `ca.pem` in `directory`, and creates it on first use.
    ///
    /// Creates the directory and its missing parents with mode 0700, the key with 0600 and the certificate with 0644.
    /// Processes and tasks that start at once agree on one authority: the one with the lock on `ca.lock` creates it,
    /// the others wait and read. Blocks on files, so it must not run on an event loop.
    ///
    /// - Throws: a `TLSError` whose message names the file and the remedy: `.authorityPermissions` if others may read
    ///   or write the key, write the directory, or own either; `.authorityIncomplete` if one of the two files is
    ///   missing; `.authorityUnreadable`; `.authorityCorrupt`; `.authorityMismatch` if they do not belong together;
    ///   `.authorityExpired`.
    package static func loadOrCreate(in directory: String) throws -> CertificateAuthority {
        try self.loadOrCreate(in: directory, now: Int64(time(nil)))
    }

    static func loadOrCreate(in directory: String, now: Int64) throws -> CertificateAuthority {
        let paths = Paths(directory)
        try FileAccess.checkOwnership(of: directory)
        // Without the lock, which could not be opened where the directory is mounted read-only. Safe
        // because each file appears whole, by a rename.
        if FileAccess.exists(paths.key), FileAccess.exists(paths.certificate) {
            return try self.load(paths, now: now)
        }
        try FileAccess.makeDirectories(directory)
        // Another process may have created it just now.
        try FileAccess.checkOwnership(of: directory)
        return try FileAccess.withLock(paths.lock) {
            switch (FileAccess.exists(paths.key), FileAccess.exists(paths.certificate)) {
            case (true, true):
                return try self.load(paths, now: now)
            case (true, false):
                throw self.incomplete(present: paths.key, missing: paths.certificate)
            case (false, true):
                throw self.incomplete(present: paths.certificate, missing: paths.key)
            case (false, false):
                let authority = try self.make(now: now)
                try FileAccess.writeNew(paths.key, Array(PEM.encode(authority.key).utf8), mode: 0o600)
                try FileAccess.writeNew(paths.certificate, Array(authority.certificatePEM.utf8), mode: 0o644)
                return authority
            }
        }
    }

    private static func load(_ paths: Paths, now: Int64) throws -> CertificateAuthority {
        let key = try PEM.key(FileAccess.read(paths.key, privately: true))
        guard let key else {
            throw self.corrupt(paths.key, "holds no private key that can be read without a pass phrase", paths)
        }
        let certificates: [CertificateHandle]
        do {
            certificates = try PEM.certificates(FileAccess.read(paths.certificate, privately: false))
        } catch let error as TLSError where error.code == .library {
            throw self.corrupt(paths.certificate, "holds a broken certificate (\(error.message))", paths)
        }
        guard let certificate = certificates.first else {
            throw self.corrupt(paths.certificate, "holds no certificate", paths)
        }
        do {
            return try CertificateAuthority(certificate: certificate, key: key, now: now)
        } catch let error as TLSError where error.code != .library {
            let remedy =
                error.code == .authorityMismatch
                ? "put the two files that belong together back from a backup, or "
                : ""
            throw TLSError(
                error.code,
                "\(paths.certificate) with \(paths.key): \(error.message); \(remedy)\(self.startOver(paths))"
            )
        }
    }

    private static func corrupt(_ path: String, _ what: String, _ paths: Paths) -> TLSError {
        TLSError(.authorityCorrupt, "\(path) \(what); put it back from a backup, or \(self.startOver(paths))")
    }

    private static func incomplete(present: String, missing: String) -> TLSError {
        TLSError(
            .authorityIncomplete,
            "\(present) is there but \(missing) is not; put \(missing) back, or remove \(present) and start again: "
                + "a new CA is made, which clients must then trust"
        )
    }

    private static func startOver(_ paths: Paths) -> String {
        "remove \(paths.key) and \(paths.certificate) and start again: a new CA is made, "
            + "which clients must then trust"
    }
}
