package import TapedeckCassettes
import TapedeckCore
import TapedeckProxy
import TapedeckSessions
import TapedeckTLS

extension DeckConfiguration {
    /// The pass phrase of client certificates' keys, where no setting names a variable of its own.
    package static let passphraseVariable = "TAPEDECK_CLIENT_KEY_PASSPHRASE"

    /// The variables of the environment that hold pass phrases of client certificates' keys.
    package var passphraseVariables: [String] {
        [Self.passphraseVariable] + self.upstream.clientCertificates.compactMap(\.passphraseVariable)
    }

    /// Sets ``upstream`` from the texts of options.
    ///
    /// - Parameters:
    ///   - proxy: `http://[USER:PASSWORD@]HOST[:PORT]`; `nil` uses the environment.
    ///   - usesProxy: false to use none.
    ///   - clientCertificates: each `HOST=CERT[,KEY]`.
    ///   - overrides: each `HOST:PORT:ADDRESS[,ADDRESS]`.
    package mutating func takeUpstream(
        proxy: String?,
        usesProxy: Bool,
        clientCertificates: [String],
        overrides: [String]
    ) throws(DeckError) {
        var settings = UpstreamSettings()
        do {
            if !usesProxy { settings.proxy = .direct }
            if let proxy { settings.proxy = .through(try UpstreamProxy(proxy, from: "--upstream-proxy")) }
            for text in clientCertificates {
                settings.clientCertificates.append(try UpstreamSettings.ClientCertificateFiles(text))
            }
            for text in overrides { settings.overrides.append(try AddressOverride(text)) }
        } catch {
            throw DeckError(error.description, kind: .badOption)
        }
        self.upstream = settings
    }

    /// Configures the proxy's way to origins by ``upstream``, and checks the files. A deck that never connects reads
    /// none of them: files that only a recording needs may be missing for replay.
    func applyUpstream(to proxy: inout ProxyConfiguration) throws(DeckError) {
        guard self.mayDialOut else { return }
        do {
            proxy.upstreamProxies = try self.upstreamProxies
        } catch {
            throw DeckError(error.description, kind: .badOption)
        }
        proxy.addressOverrides = AddressOverrides(self.upstream.overrides)
        proxy.upstreamCAFiles += self.upstream.authorities
        for file in self.upstream.authorities where !FileContents.exists(file) {
            throw DeckError("there is no file \(file), which `ca` in the project file names")
        }
        for files in self.upstream.clientCertificates where self.mayDial(files.hosts) {
            proxy.clientCertificates.append((files.hosts, try self.clientCertificate(files)))
        }
    }

    /// Returns `false` for hosts that the deck never connects to. A deck that only plays connects to the hosts that are
    /// named to be left alone, and needs no key for others: those are often missing where tests run.
    private func mayDial(_ hosts: HostPattern) -> Bool {
        self.allowsDialling || self.allowsPassthrough
            || (self.record.passthrough + self.record.except).contains { $0.mayOverlap(hosts) }
    }

    private var upstreamProxies: UpstreamProxies {
        get throws(UpstreamOptionError) {
            let exceptions = self.upstream.exceptions
            return switch self.upstream.proxy ?? .inherited {
            case .direct: .none
            case .inherited:
                try UpstreamProxies.inherited(from: self.environment, exceptions: exceptions)
            case .through(let proxy):
                UpstreamProxies(
                    proxy,
                    exceptions: exceptions ?? UpstreamProxies.exceptions(of: self.environment)
                )
            }
        }
    }

    private func clientCertificate(
        _ files: UpstreamSettings.ClientCertificateFiles
    ) throws(DeckError) -> ClientCertificate {
        let variable = files.passphraseVariable ?? Self.passphraseVariable
        do {
            return try ClientCertificate(
                certificatePath: files.certificate,
                keyPath: files.key,
                passphrase: self.environment[variable].flatMap { $0.isEmpty ? nil : $0 },
                remedy: "put it into the environment variable \(variable)"
            )
        } catch let error as TLSError {
            throw DeckError("the client certificate for \(files.hosts): \(error.message)", kind: .badOption)
        } catch {
            throw DeckError(error)
        }
    }
}
