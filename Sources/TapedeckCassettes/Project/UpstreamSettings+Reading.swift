package import TapedeckCore
package import TapedeckYAML

extension UpstreamSettings {
    /// Reads the `upstream:` mapping of a project file.
    ///
    /// - Parameters:
    ///   - node: the value of `upstream:`.
    ///   - path: of the file; paths in it are relative to its folder.
    package static func read(_ node: YAMLNode, path: String) -> (settings: UpstreamSettings, diagnostics: [Diagnostic])
    {
        var reader = CassetteReader(path: path)
        var settings = UpstreamSettings()
        if !node.isNull { _ = reader.read(node, by: ProjectGrammar.upstream, into: &settings) }
        return (settings, CassetteReader.sorted(reader.diagnostics))
    }
}

/// A client certificate as a project file has it.
struct CertificateEntry: Sendable {
    var host: String?
    var cert: String?
    var key: String?
    var variable: String?
}

extension ProjectGrammar {
    /// `upstream:` of a project file: the way to origins, and where the deck may connect to.
    static let upstream = Mapping<UpstreamSettings>("upstream", "`upstream`") {
        Key("proxy", .text) { reader, entry, settings in settings.proxy = reader.readProxy(entry.value) }
            .means("the proxy for connections to origins, or `none`")
        Key("noProxy", .oneOrList(.text)) { reader, entry, settings in
            let hosts = reader.texts(entry.value, "noProxy", allowsEmpty: true)
            settings.exceptions = ProxyExceptions(hosts.joined(separator: ","))
        }
        .means("hosts that are connected to without it")
        Key("ca", .oneOrList(.text)) { reader, entry, settings in
            settings.authorities = reader.texts(entry.value, "ca").map(reader.besideFile)
        }
        .means("files in PEM of certificate authorities to trust, too")
        Key("clientCertificates", .list(.mapping("clientCertificate"))) { reader, entry, settings in
            settings.clientCertificates = reader.readCertificates(entry.value)
        }
        .means("client certificates")
        Key("resolve", .oneOrList(.text)) { reader, entry, settings in
            settings.overrides = reader.readOverrides(entry.value)
        }
        .means("addresses to connect to for a host and port: HOST:PORT:ADDRESS")
        Key("targets", .words(["public", "any"])) { reader, entry, settings in
            guard let text = reader.text(entry.value, "targets") else { return }
            settings.targets.scope = TargetSettings.Scope(rawValue: text)
            if settings.targets.scope == nil {
                reader.error(entry.value, "`targets` is `public` or `any`, not `\(text)`")
            }
        }
        .means("the addresses that origins may have")
        Key("allowPrivate", \.targets.allowedPrivate, .hosts, usually: [])
            .means("origins that need not be public")
        Key("hosts", \.targets.hosts, .hosts, usually: [])
            .means("hosts that requests may go to, and to no others")
    }

    static let certificate = Mapping<CertificateEntry>(
        "clientCertificate",
        "a client certificate",
        rules: [.all(["host", "cert"])]
    ) {
        Key("host", \.host, .text)
            .means("whom it is shown to")
        Key("cert", \.cert, .text)
            .means("a file in PEM")
        Key("key", \.key, .text)
            .means("its key in PEM, if not in the same file")
        Key("passphrase", .pairs([("environment", .text)])) { reader, entry, owner in
            owner.variable = reader.readPassphrase(entry.value)
        }
        .means("the variable with the key's pass phrase")
    }
}

/// The way to origins.
extension CassetteReader {
    fileprivate mutating func readProxy(_ node: YAMLNode) -> UpstreamSettings.Proxying? {
        guard let text = self.text(node, "proxy") else { return nil }
        if text == "none" { return .direct }
        do {
            let proxy = try UpstreamProxy(text, from: "`proxy`")
            guard proxy.credentials == nil else {
                self.error(
                    node,
                    "others read this file: leave user name and password out of `proxy`, and put the whole URL into "
                        + "HTTPS_PROXY and http_proxy, or behind --upstream-proxy"
                )
                return nil
            }
            return .through(proxy)
        } catch {
            self.error(node, error.description)
            return nil
        }
    }

    fileprivate mutating func readCertificates(_ node: YAMLNode) -> [UpstreamSettings.ClientCertificateFiles] {
        guard self.expectSequence(node, "clientCertificates") else { return [] }
        return node.items.compactMap { item in
            var entry = CertificateEntry()
            guard self.read(item, by: ProjectGrammar.certificate, into: &entry) else { return nil }
            guard let host = entry.host, let certificate = entry.cert else {
                if item["host"] == nil || item["cert"] == nil {
                    self.error(item, "a client certificate has a `host` that it is shown to, and a `cert` file")
                }
                return nil
            }
            do {
                return UpstreamSettings.ClientCertificateFiles(
                    hosts: try HostPattern(host),
                    certificate: self.besideFile(certificate),
                    key: entry.key.map(self.besideFile),
                    passphraseVariable: entry.variable
                )
            } catch {
                self.error(item, "\(error)")
                return nil
            }
        }
    }

    fileprivate mutating func readPassphrase(_ node: YAMLNode) -> String? {
        guard node.kind == .mapping, let variable = node["environment"], node.count == 1 else {
            self.error(
                node,
                "others read this file: write `passphrase: { environment: NAME }`, with the pass phrase in that variable"
            )
            return nil
        }
        return self.text(variable, "environment")
    }

    fileprivate mutating func readOverrides(_ node: YAMLNode) -> [AddressOverride] {
        guard let items = self.listItems(node, "resolve") else { return [] }
        return items.compactMap { item -> AddressOverride? in
            guard let text = self.text(item, "resolve") else { return nil }
            do throws(UpstreamOptionError) {
                return try AddressOverride(text)
            } catch {
                self.error(item, error.description)
                return nil
            }
        }
    }

    /// A path in the file, which is relative to the file's folder.
    fileprivate func besideFile(_ path: String) -> String {
        FilePath.join(FilePath.folder(of: self.path), path)
    }
}
