import COpenSSL
import TapedeckPlatform

/// Fills in and signs an X.509 v3 certificate (RFC 5280).
///
/// Extensions are made from structures, never from OpenSSL's configuration text, in which a comma
/// or a line break of a host name would start an entry of its own.
struct CertificateBuilder {
    /// Bits of keyUsage (RFC 5280 section 4.2.1.3).
    enum KeyUsage: Int32 {
        case digitalSignature = 0
        case keyCertSign = 5
        case crlSign = 6
    }

    let certificate: CertificateHandle

    private var pointer: OpaquePointer {
        self.certificate.pointer
    }

    /// A certificate for the public half of `key` with a random serial number, valid from
    /// `notBefore` to `notAfter` (seconds since 1970).
    init(key: KeyHandle, notBefore: Int64, notAfter: Int64) throws {
        OpenSSLErrors.clear()
        self.certificate = CertificateHandle(owning: try require(X509_new(), "allocate a certificate"))
        try require(success: X509_set_version(self.pointer, 2), "set a certificate's version")
        try require(success: X509_set_pubkey(self.pointer, key.pointer), "set a certificate's key")
        try Self.set(X509_getm_notBefore(self.pointer), to: notBefore)
        try Self.set(X509_getm_notAfter(self.pointer), to: notAfter)
        try self.setRandomSerial()
    }

    private static func set(_ field: UnsafeMutablePointer<ASN1_TIME>?, to seconds: Int64) throws {
        _ = try require(ASN1_TIME_set(field, time_t(seconds)), "set a certificate's dates")
    }

    private func setRandomSerial() throws {
        var bytes = [UInt8](repeating: 0, count: 16)
        try require(success: RAND_bytes(&bytes, Int32(bytes.count)), "make a serial number")
        // Positive, never zero and always of one length (RFC 5280 section 4.1.2.2 allows 20 bytes).
        bytes[0] = bytes[0] & 0x7f | 0x40
        let number = try require(BN_bin2bn(bytes, Int32(bytes.count), nil), "make a serial number")
        defer { BN_free(number) }
        let serial = X509_get_serialNumber(self.pointer)
        _ = try require(BN_to_ASN1_INTEGER(number, serial), "set a serial number")
    }

    /// Appends to the subject's name; `field` is "CN" or "O".
    func addSubject(_ field: String, _ value: String) throws {
        let bytes = Array(value.utf8)
        let name = X509_get_subject_name(self.pointer)
        try require(
            success: X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0),
            "set a certificate's subject"
        )
    }

    func addBasicConstraints(isAuthority: Bool, pathLength: Int? = nil) throws {
        let constraints = try require(BASIC_CONSTRAINTS_new(), "allocate basicConstraints")
        defer { BASIC_CONSTRAINTS_free(constraints) }
        constraints.pointee.ca = isAuthority ? 0xff : 0
        if let pathLength {
            let number = try require(ASN1_INTEGER_new(), "allocate basicConstraints")
            constraints.pointee.pathlen = number
            try require(success: ASN1_INTEGER_set(number, pathLength), "set a path length")
        }
        try self.add(NID_basic_constraints, constraints, critical: true)
    }

    func addKeyUsage(_ usages: [KeyUsage]) throws {
        let bits = try require(ASN1_BIT_STRING_new(), "allocate keyUsage")
        defer { ASN1_BIT_STRING_free(bits) }
        for usage in usages {
            try require(success: ASN1_BIT_STRING_set_bit(bits, usage.rawValue, 1), "set keyUsage")
        }
        try self.add(NID_key_usage, bits, critical: true)
    }

    func addServerAuthentication() throws {
        let usages = try require(EXTENDED_KEY_USAGE_new(), "allocate extendedKeyUsage")
        defer { EXTENDED_KEY_USAGE_free(usages) }
        // OBJ_nid2obj answers from OpenSSL's static table; freeing such an object does nothing.
        let usage = try require(OBJ_nid2obj(NID_server_auth), "find serverAuth")
        try require(success: tapedeck_sk_ASN1_OBJECT_push(usages, usage), "set extendedKeyUsage")
        try self.add(NID_ext_key_usage, usages)
    }

    /// The leftmost 160 bits of the SHA-256 of the public key (RFC 7093 section 2, method 1).
    func addSubjectKeyIdentifier() throws {
        var digest = [UInt8](repeating: 0, count: 32)
        try require(
            success: X509_pubkey_digest(self.pointer, EVP_sha256(), &digest, nil),
            "hash a public key"
        )
        let identifier = try require(ASN1_OCTET_STRING_new(), "allocate a key identifier")
        defer { ASN1_OCTET_STRING_free(identifier) }
        try require(success: ASN1_OCTET_STRING_set(identifier, digest, 20), "set a key identifier")
        try self.add(NID_subject_key_identifier, identifier)
    }

    /// Repeats the key identifier of `issuer`, however it was computed. Adds nothing if the issuer has no identifier.
    func addAuthorityKeyIdentifier(of issuer: CertificateHandle) throws {
        guard let stored = X509_get0_subject_key_id(issuer.pointer) else {
            return
        }
        let identifier = try require(AUTHORITY_KEYID_new(), "allocate a key identifier")
        defer { AUTHORITY_KEYID_free(identifier) }
        identifier.pointee.keyid = try require(ASN1_OCTET_STRING_dup(stored), "copy a key identifier")
        try self.add(NID_authority_key_identifier, identifier)
    }

    /// - Parameter critical: as it must be where the subject is empty (RFC 5280 section 4.2.1.6).
    func addSubjectAlternativeName(_ host: CertificateHost, critical: Bool) throws {
        let names = try require(GENERAL_NAMES_new(), "allocate subjectAltName")
        defer { GENERAL_NAMES_free(names) }
        let name = try require(GENERAL_NAME_new(), "allocate subjectAltName")
        guard tapedeck_sk_GENERAL_NAME_push(names, name) > 0 else {
            GENERAL_NAME_free(name)
            throw TLSError.library("set subjectAltName")
        }
        switch host.kind {
        case .dns:
            let bytes = Array(host.name.utf8)
            try Self.set(name, GEN_DNS, to: bytes, in: ASN1_IA5STRING_new())
        case .address(let bytes):
            try Self.set(name, GEN_IPADD, to: bytes, in: ASN1_OCTET_STRING_new())
        }
        try self.add(NID_subject_alt_name, names, critical: critical)
    }

    private static func set(
        _ name: UnsafeMutablePointer<GENERAL_NAME>,
        _ kind: Int32,
        to bytes: [UInt8],
        in string: UnsafeMutablePointer<ASN1_STRING>?
    ) throws {
        let string = try require(string, "allocate subjectAltName")
        // The name owns the string from here on.
        GENERAL_NAME_set0_value(name, kind, string)
        try require(success: ASN1_STRING_set(string, bytes, Int32(bytes.count)), "set subjectAltName")
    }

    private func add(_ identifier: Int32, _ value: UnsafeMutableRawPointer, critical: Bool = false) throws {
        try require(
            success: X509_add1_ext_i2d(self.pointer, identifier, value, critical ? 1 : 0, UInt(X509V3_ADD_DEFAULT)),
            "add a certificate extension"
        )
    }

    private func add(_ identifier: Int32, _ value: OpaquePointer, critical: Bool = false) throws {
        try self.add(identifier, UnsafeMutableRawPointer(value), critical: critical)
    }

    /// Names the issuer and signs; `issuer` nil means that the certificate signs itself.
    func sign(with key: KeyHandle, issuer: CertificateHandle?) throws -> CertificateHandle {
        let name = X509_get_subject_name((issuer ?? self.certificate).pointer)
        try require(success: X509_set_issuer_name(self.pointer, name), "set a certificate's issuer")
        // Keys such as Ed25519 have a built-in hash and reject any other.
        var digest: Int32 = 0
        let isFixed = EVP_PKEY_get_default_digest_nid(key.pointer, &digest) == 2 && digest == NID_undef
        try require(
            success: X509_sign(self.pointer, key.pointer, isFixed ? nil : EVP_sha256()),
            "sign a certificate"
        )
        OpenSSLErrors.clear()
        return self.certificate
    }
}
