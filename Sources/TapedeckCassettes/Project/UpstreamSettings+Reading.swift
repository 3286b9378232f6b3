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
        let settings = reader.readUpstream(node)
        return (settings, CassetteReader.sorted(reader.diagnostics))
    }
}

/// The way to origins.
extension CassetteReader {
    private static let upstreamKeys = ["proxy", "noProxy", "ca", "clientCertificates", "resolve"] + targetKeys
    private static let certificateKeys = ["host", "cert", "key", "passphrase"]

    mutating func readUpstream(_ node: YAMLNode) -> UpstreamSettings {
        var settings = UpstreamSettings()
        guard !node.isNull, self.expectMapping(node, "`upstream`") else { return settings }
        for (key, value) in node.pairs {
            switch key.string {
            case "proxy": settings.proxy = self.readProxy(value)
            case "noProxy":
                let hosts = self.texts(value, "noProxy", allowsEmpty: true)
                settings.exceptions = ProxyExceptions(hosts.joined(separator: ","))
            case "ca": settings.authorities = self.texts(value, "ca").map(self.besideFile)
            case "clientCertificates": settings.clientCertificates = self.readCertificates(value)
            case "resolve": settings.overrides = self.readOverrides(value)
            case let name where Self.targetKeys.contains(name): self.readTargets(name, value, into: &settings.targets)
            default: self.unknown(key, Self.upstreamKeys, of: "`upstream`")
            }
        }
        return settings
    }

    private mutating func readProxy(_ node: YAMLNode) -> UpstreamSettings.Proxying? {
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

    private mutating func readCertificates(_ node: YAMLNode) -> [UpstreamSettings.ClientCertificateFiles] {
        guard self.expectSequence(node, "clientCertificates") else { return [] }
        return node.items.compactMap { item in
            guard self.expectMapping(item, "a client certificate") else { return nil }
            self.checkKeys(item, Self.certificateKeys, of: "a client certificate")
            guard let host = item["host"].flatMap({ self.text($0, "host") }),
                let certificate = item["cert"].flatMap({ self.text($0, "cert") })
            else {
                if item["host"] == nil || item["cert"] == nil {
                    self.error(item, "a client certificate has a `host` that it is shown to, and a `cert` file")
                }
                return nil
            }
            let hosts: HostPattern
            do {
                hosts = try HostPattern(host)
            } catch {
                self.error(item, "\(error)")
                return nil
            }
            return UpstreamSettings.ClientCertificateFiles(
                hosts: hosts,
                certificate: self.besideFile(certificate),
                key: item["key"].flatMap { self.text($0, "key") }.map(self.besideFile),
                passphraseVariable: item["passphrase"].flatMap { self.readPassphrase($0) }
            )
        }
    }

    private mutating func readPassphrase(_ node: YAMLNode) -> String? {
        guard node.kind == .mapping, let variable = node["environment"], node.count == 1 else {
            self.error(
                node,
                "others read this file: write `passphrase: { environment: NAME }`, with the pass phrase in that variable"
            )
            return nil
        }
        return self.text(variable, "environment")
    }

    private mutating func readOverrides(_ node: YAMLNode) -> [AddressOverride] {
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
    private func besideFile(_ path: String) -> String {
        FilePath.join(FilePath.folder(of: self.path), path)
    }
}

/// `upstream:` of a project file: where the deck may connect to.
extension CassetteReader {
    static let targetKeys = ["targets", "allowPrivate", "hosts"]

    /// Reads one of ``targetKeys``.
    mutating func readTargets(_ key: String, _ node: YAMLNode, into settings: inout TargetSettings) {
        switch key {
        case "targets":
            guard let text = self.text(node, key) else { return }
            settings.scope = TargetSettings.Scope(rawValue: text)
            if settings.scope == nil { self.error(node, "`targets` is `public` or `any`, not `\(text)`") }
        case "allowPrivate": settings.allowedPrivate = self.hosts(node, key)
        default: settings.hosts = self.hosts(node, key)
        }
    }
}
