import COpenSSL

extension PEM {
    /// The result of reading a private key.
    enum KeyReading {
        case key(KeyHandle)
        /// It is encrypted, and no pass phrase was given.
        case wantsPassphrase
        /// The key is missing, damaged, or the pass phrase is wrong.
        case unreadable
    }

    /// The private key in `bytes`, which may have a pass phrase. Never asks on the terminal, as OpenSSL would by itself.
    static func key(_ bytes: [UInt8], passphrase: String?) throws -> KeyReading {
        if let passphrase {
            return try MemoryBIO.reading(bytes) { bio in
                // Without a callback the last argument is the pass phrase, which ends with its NUL.
                let key = passphrase.withCString { text in
                    PEM_read_bio_PrivateKey(bio, nil, nil, UnsafeMutableRawPointer(mutating: text))
                }
                OpenSSLErrors.clear()
                return key.map { .key(KeyHandle(owning: $0)) } ?? .unreadable
            }
        }
        var wasAsked = false
        let key = try MemoryBIO.reading(bytes) { bio in
            let key = withUnsafeMutablePointer(to: &wasAsked) { asked in
                PEM_read_bio_PrivateKey(
                    bio,
                    nil,
                    { _, _, _, asked in
                        asked?.assumingMemoryBound(to: Bool.self).pointee = true
                        return -1
                    },
                    asked
                )
            }
            OpenSSLErrors.clear()
            return key.map(KeyHandle.init(owning:))
        }
        return key.map(KeyReading.key) ?? (wasAsked ? .wantsPassphrase : .unreadable)
    }
}
