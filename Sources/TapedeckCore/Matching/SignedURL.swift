/// The query parameters of a signed URL that belong to its signature: key, date, expiry, scope and the like. They differ
/// each time that the URL is signed, and say nothing about what it asks for.
package struct SignedURL {
    /// A way to sign URLs.
    private struct Scheme {
        var signature: String
        /// At least one of these is there as well, as other APIs have parameters with the signature's name.
        var evidence: [String]
        /// Further parameters of the signature.
        var others: [String] = []
    }

    /// Sources: AWS Signature V2, V4 and V4A, CloudFront, Google Cloud Storage V2 and V4, Azure SAS, Alibaba OSS V1 and V4 and
    /// RPC, Tencent COS, Volcengine TOS, Discord's CDN, and OAuth 1.0 (RFC 5849 section 3.1).
    private static let schemes = [
        Scheme(
            signature: "X-Amz-Signature",
            evidence: ["X-Amz-Credential"],
            others: [
                "X-Amz-Algorithm", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Security-Token",
                "X-Amz-Region-Set", "X-Amz-S3session-Token",
            ]
        ),
        Scheme(
            signature: "X-Goog-Signature",
            evidence: ["X-Goog-Credential"],
            others: [
                "X-Goog-Algorithm", "X-Goog-Date", "X-Goog-Expires", "X-Goog-SignedHeaders",
            ]
        ),
        Scheme(
            signature: "x-oss-signature",
            evidence: ["x-oss-credential"],
            others: [
                "x-oss-signature-version", "x-oss-date", "x-oss-expires", "x-oss-additional-headers",
                "x-oss-security-token",
            ]
        ),
        Scheme(
            signature: "X-Tos-Signature",
            evidence: ["X-Tos-Credential"],
            others: [
                "X-Tos-Algorithm", "X-Tos-Date", "X-Tos-Expires", "X-Tos-SignedHeaders", "X-Tos-Security-Token",
            ]
        ),
        Scheme(
            signature: "q-signature",
            evidence: ["q-ak"],
            others: [
                "q-sign-algorithm", "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list",
                "x-cos-security-token",
            ]
        ),
        Scheme(
            signature: "sig",
            evidence: ["se", "si"],
            others: [
                "st", "skoid", "sktid", "skt", "ske", "sks", "skv",
            ]
        ),
        Scheme(
            signature: "oauth_signature",
            evidence: ["oauth_nonce", "oauth_timestamp"],
            others: [
                "oauth_consumer_key", "oauth_signature_method", "oauth_version",
            ]
        ),
        Scheme(
            signature: "Signature",
            evidence: ["AWSAccessKeyId", "GoogleAccessId", "OSSAccessKeyId", "Key-Pair-Id", "AccessKeyId"],
            others: [
                "Expires", "Policy", "Timestamp", "SignatureMethod", "SignatureVersion", "SignatureNonce",
                "SecurityToken",
                "X-Amz-Security-Token", "security-token",
            ]
        ),
        Scheme(signature: "Signature", evidence: ["Expires"]),
        Scheme(signature: "hm", evidence: ["ex"], others: ["is"]),
    ]

    /// The name of the parameter that holds the signature, as the URL has it.
    let signature: String
    /// The names of the signature's parameters: those of the URL, and others that one signed in the same way may have.
    let names: [String]

    /// - Parameter parameters: the names of the URL's query parameters.
    /// - Returns: `nil` for a URL that is not signed.
    init?(parameters: [String]) {
        guard parameters.count > 1 else { return nil }
        let lowered = parameters.map(ASCII.lowercased)
        for scheme in Self.schemes {
            guard let place = lowered.firstIndex(of: ASCII.lowercased(scheme.signature)),
                scheme.evidence.contains(where: { lowered.contains(ASCII.lowercased($0)) })
            else { continue }
            self.signature = parameters[place]
            let all = [scheme.signature] + scheme.evidence + scheme.others
            let known = Set(all.map(ASCII.lowercased))
            let present = zip(parameters, lowered).compactMap { known.contains($1) ? $0 : nil }
            self.names = Set(all + all.map(ASCII.lowercased) + present).sorted()
            return
        }
        return nil
    }

    /// - Parameter target: path and query.
    package init?(target: String) {
        guard let question = target.utf8.firstIndex(of: ASCII.question) else { return nil }
        let query = target.utf8[target.utf8.index(after: question)...]
        self.init(
            parameters: query.split(separator: ASCII.ampersand).map {
                QueryText.decoded($0.prefix { $0 != ASCII.equals })
            }
        )
    }

    /// Returns path and query with an empty signature and without the parameters that belong to it.
    package func counting(target: String) -> String {
        guard let question = target.firstIndex(of: "?") else { return target }
        let kept = target[target.index(after: question)...].split(separator: "&").compactMap { parameter in
            let name = QueryText.decoded(parameter.utf8.prefix { $0 != ASCII.equals })
            if name == self.signature { return parameter.prefix { $0 != "=" } }
            return self.names.contains(name) ? nil : parameter
        }
        return "\(target[..<question])?\(kept.joined(separator: "&"))"
    }
}
