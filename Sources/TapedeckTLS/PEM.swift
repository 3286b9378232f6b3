import COpenSSL

/// OpenSSL's memory BIO, for its functions that read or print only through a BIO.
enum MemoryBIO {
    /// The text that `write` printed; throws when `write` says that it failed.
    static func text(_ write: (OpaquePointer) -> Bool) throws -> String {
        OpenSSLErrors.clear()
        let bio = try require(BIO_new(BIO_s_mem()), "allocate a memory BIO")
        defer { BIO_free(bio) }
        guard write(bio) else {
            throw TLSError.library("encode a key or certificate")
        }
        var data: UnsafeMutablePointer<CChar>?
        let count = tapedeck_BIO_get_mem_data(bio, &data)
        let bytes = UnsafeRawBufferPointer(start: data, count: max(0, count))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `read` with a BIO that yields `bytes`.
    static func reading<Result>(_ bytes: [UInt8], _ read: (OpaquePointer) throws -> Result) throws -> Result {
        OpenSSLErrors.clear()
        return try bytes.withUnsafeBytes { buffer in
            let bio = try require(
                BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)),
                "allocate a memory BIO"
            )
            defer { BIO_free(bio) }
            return try read(bio)
        }
    }
}

/// Keys and certificates as PEM text (RFC 7468).
enum PEM {
    static func encode(_ certificate: CertificateHandle) throws -> String {
        try MemoryBIO.text { PEM_write_bio_X509($0, certificate.pointer) == 1 }
    }

    /// PKCS #8, not encrypted.
    static func encode(_ key: KeyHandle) throws -> String {
        try MemoryBIO.text { PEM_write_bio_PKCS8PrivateKey($0, key.pointer, nil, nil, 0, nil, nil) == 1 }
    }

    /// Returns the private key in `bytes`, or nil if there is no key or it is encrypted.
    static func key(_ bytes: [UInt8]) throws -> KeyHandle? {
        try MemoryBIO.reading(bytes) { bio in
            // Without a callback OpenSSL would prompt for the pass phrase of an encrypted key on the terminal.
            let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
            OpenSSLErrors.clear()
            return key.map(KeyHandle.init(owning:))
        }
    }

    /// Every certificate in `bytes`, which may hold none; throws what OpenSSL says of a broken one.
    static func certificates(_ bytes: [UInt8]) throws -> [CertificateHandle] {
        try MemoryBIO.reading(bytes) { bio in
            var certificates: [CertificateHandle] = []
            while let certificate = PEM_read_bio_X509(bio, nil, { _, _, _, _ in -1 }, nil) {
                certificates.append(CertificateHandle(owning: certificate))
            }
            let errors = OpenSSLErrors.drain()
            // The end of the text is reported as a missing start line.
            let ended = errors.entries.allSatisfy { $0.library == ERR_LIB_PEM && $0.reason == PEM_R_NO_START_LINE }
            guard ended else {
                throw TLSError(.library, errors.text)
            }
            return certificates
        }
    }
}
