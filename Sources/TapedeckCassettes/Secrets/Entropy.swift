import TapedeckCore

/// Finds words that look random: a value that no rule matches may still be a secret.
///
/// Most random words are harmless: digests, identifiers, cursors, content hashes in file names, parts of pictures and
/// of compressed data. They are excluded by their form (``RandomLook``) and by their context.
package enum Entropy {
    /// The words that look like secrets, by their offsets.
    package static func words(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while true {
            // A run with a secret has a part at every multiple of this length, so most of the others are excluded by a
            // few bytes each.
            let probe = start + RandomLook.lengths.lowerBound - 1
            guard probe < bytes.count else { return found }
            guard Self.isPart(bytes[probe]) else {
                start = probe + 1
                continue
            }
            var begin = probe
            while begin > start, Self.isPart(bytes[begin - 1]) { begin -= 1 }
            guard begin == start else {
                start = begin
                continue
            }
            var end = probe + 1
            while end < bytes.count, Self.isPart(bytes[end]) { end += 1 }
            if let word = Self.word(start..<end, in: bytes) { found.append(word) }
            start = end
        }
    }

    /// The part of a run that looks like a secret: of `name=value` the value, and never the padding of base64.
    private static func word(_ run: Range<Int>, in bytes: [UInt8]) -> Range<Int>? {
        var word = run
        while let last = bytes[word].last, last == ASCII.equals { word = word.lowerBound..<(word.upperBound - 1) }
        if let equals = bytes[word].lastIndex(of: ASCII.equals) {
            // A delimiter of a multipart body (RFC 2046 section 5.1.1), whose boundary may hold such signs; not `--name=value`.
            let isDelimiter = bytes[run].starts(with: "--".utf8) && bytes[word].firstIndex(of: ASCII.equals) != equals
            guard !isDelimiter else { return nil }
            word = (equals + 1)..<word.upperBound
        }
        guard RandomLook.isSecret(bytes[word]), !Self.isInPath(word, in: bytes), !Self.isOneLineOfMany(run, in: bytes),
            !Self.isNamedHarmless(word, in: bytes)
        else { return nil }
        return word
    }

    @inline(__always)
    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: true
        default: false
        }
    }

    // MARK: Surroundings

    /// True if a word is part of a path, a name of a file (`main.4f3a9c2b.js`), a fragment or a color.
    private static func isInPath(_ word: Range<Int>, in bytes: [UInt8]) -> Bool {
        if word.lowerBound > 0, "/.@#%".utf8.contains(bytes[word.lowerBound - 1]) { return true }
        if bytes[word.lowerBound] == ASCII.slash { return true }
        guard word.upperBound + 1 < bytes.count, bytes[word.upperBound] == 0x2E else { return false }
        let ending = bytes[(word.upperBound + 1)...].prefix(7).prefix { (0x61...0x7A).contains($0 | 0x20) }
        return (1...6).contains(ending.count)
    }

    /// So far from a word its neighbours are looked for, in bytes.
    private static let reach = 24

    /// True if a word is one of the lines that base64 was broken into, or of the pieces of a list of such.
    private static func isOneLineOfMany(_ run: Range<Int>, in bytes: [UInt8]) -> Bool {
        var before = run.lowerBound - 1
        while before >= 0, run.lowerBound - before <= Self.reach, Self.isBetween(bytes[before]) { before -= 1 }
        // The `n` of an escape.
        if Self.isLong(bytes[..<max(0, before + 1)].suffix(Self.reach)), before < run.lowerBound - 1 { return true }
        var after = run.upperBound
        while after < bytes.count, after - run.upperBound < Self.reach, Self.isBetween(bytes[after]) { after += 1 }
        if after + 1 < bytes.count, bytes[after - 1] == ASCII.backslash, "nr".utf8.contains(bytes[after]) { after += 1 }
        return after > run.upperBound && Self.isLong(bytes[after...].prefix(Self.reach))
    }

    /// The bytes between lines of base64 and their pieces in program texts.
    private static func isBetween(_ byte: UInt8) -> Bool {
        byte <= ASCII.space || "\\\",+'#*>|".utf8.contains(byte)
    }

    private static func isLong(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == Self.reach && bytes.allSatisfy(Self.isPart)
    }

    /// The ends of names, without `_` and `-`, of random-looking values that are not secret.
    private static let harmlessNames: [String] = [
        "id", "etag", "hash", "digest", "sum", "integrity", "cursor", "nonce", "boundary", "uuid", "guid", "revision",
        "commit", "url", "uri", "href", "src", "fingerprint", "version", "publickey", "cert", "certificate",
        "thumbprint",
        "kid", "x5c", "x5t", "signature", "sig", "mac", "sha1", "sha256", "sha384", "sha512", "md5", "image", "data",
        "content", "filename", "path", "class", "challenge", "seed", "pagetoken", "nexttoken", "continuationtoken",
        "synctoken", "base64", "ray", "requesttoken", "checkpoint", "offset", "marker", "state",
    ]

    /// The endings of names of files that lists of digests have, as in `"app.js": "oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K…"`.
    private static let fileEndings: Set<String> = [
        "js", "mjs", "cjs", "css", "map", "wasm", "html", "json", "xml", "txt", "svg", "png", "jpg", "jpeg", "gif",
        "webp",
        "ico", "woff", "woff2", "ttf", "gz", "tgz", "zip", "whl", "jar", "deb", "rpm",
    ]

    /// True if the name before a word, as in `"etag": "W/\"…` and `cursor=…`, marks it as harmless.
    private static func isNamedHarmless(_ word: Range<Int>, in bytes: [UInt8]) -> Bool {
        var index = word.lowerBound - 1
        let least = max(0, word.lowerBound - 64)
        var hasMark = false
        while index >= least {
            let byte = bytes[index]
            if byte == ASCII.equals || byte == ASCII.colon || byte == 0x28 || byte == ASCII.comma || byte == 0x3E {
                hasMark = true
            } else if byte > ASCII.space, !"\"'\\[/]".utf8.contains(byte),
                // `W/` before an entity tag.
                byte != 0x57 || index == 0 || bytes[index + 1] != ASCII.slash
            {
                break
            }
            index -= 1
        }
        guard hasMark, index >= least else { return false }
        let end = index + 1
        while index >= least, bytes[index] < 0x80, Self.isNameByte(bytes[index]) { index -= 1 }
        let name = bytes[(index + 1)..<end].filter { $0 != 0x5F && $0 != 0x2D }.map(ASCII.lowercased)
        let text = String(decoding: name, as: UTF8.self)
        if index >= least, bytes[index] == 0x2E, self.fileEndings.contains(text) { return true }
        return self.harmlessNames.contains { text.hasSuffix($0) } || text.hasPrefix("sha")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        Self.isPart(byte) && byte != ASCII.equals && byte != ASCII.slash && byte != 0x2B
    }

    // MARK: Header fields

    /// Fields whose values are random, and no secrets.
    private static let harmlessFields: Set<String> = [
        "accept-ch", "alt-svc", "cf-ray", "content-digest", "content-disposition", "content-md5",
        "content-security-policy", "content-security-policy-report-only", "content-type", "date", "digest", "etag",
        "if-match", "if-none-match", "if-range", "nel", "openai-organization", "openai-project", "p3p",
        "permissions-policy", "report-to", "reporting-endpoints",
        "repr-digest", "sec-websocket-accept", "sec-websocket-key", "server-timing", "signature-input", "traceparent",
        "tracestate", "user-agent", "via", "want-digest", "x-amz-cf-id", "x-amz-id-2", "x-amz-request-id", "x-amz-rid",
        "x-amzn-requestid", "x-amzn-trace-id", "x-b3-spanid", "x-b3-traceid", "x-cache", "x-cloud-trace-context",
        "x-correlation-id", "x-fastly-request-id", "x-github-request-id", "x-goog-hash", "x-guploader-uploadid",
        "x-ms-request-id", "x-msedge-ref", "x-request-id", "x-served-by", "x-timer", "x-trace-id", "x-vercel-id",
    ]

    /// True if random words in the value of a header field can be secrets.
    package static func counts(inField name: String) -> Bool {
        let name = ASCII.lowercased(name)
        return !self.harmlessFields.contains(name) && !name.hasSuffix("-request-id") && !name.hasSuffix("-trace-id")
    }
}
