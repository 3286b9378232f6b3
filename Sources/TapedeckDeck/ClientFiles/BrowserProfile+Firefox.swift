package import TapedeckCassettes

extension BrowserProfile {
    /// Domains that Firefox contacts in the background. Their proxy refuses connections, because Firefox contacts some
    /// of them whatever its settings.
    private static let firefoxBackground = [
        "services.mozilla.com", "cdn.mozilla.net", "telemetry.mozilla.org", "aus5.mozilla.org", "ads.mozilla.org",
        "services.addons.mozilla.org", "versioncheck.addons.mozilla.org", "versioncheck-bg.addons.mozilla.org",
        "webservices.mozgcp.net", "detectportal.firefox.com", "safebrowsing.googleapis.com", "ciscobinary.openh264.org",
    ]

    /// Settings that turn off what Firefox does in the background and shows at its first start, and QUIC.
    private static let firefoxQuiet: [(name: String, value: String)] = [
        ("app.normandy.enabled", "false"),
        ("app.update.auto", "false"),
        ("browser.aboutwelcome.enabled", "false"),
        ("browser.newtabpage.enabled", "false"),
        ("browser.region.update.enabled", "false"),
        ("browser.safebrowsing.downloads.remote.enabled", "false"),
        ("browser.safebrowsing.malware.enabled", "false"),
        ("browser.safebrowsing.phishing.enabled", "false"),
        ("browser.search.update", "false"),
        ("browser.shell.checkDefaultBrowser", "false"),
        ("browser.startup.homepage_override.mstone", "\"ignore\""),
        ("browser.startup.page", "0"),
        ("datareporting.policy.dataSubmissionEnabled", "false"),
        ("datareporting.usage.uploadEnabled", "false"),
        ("dom.push.connection.enabled", "false"),
        ("extensions.getAddons.cache.enabled", "false"),
        ("extensions.systemAddon.update.enabled", "false"),
        ("extensions.update.enabled", "false"),
        ("media.gmp-manager.updateEnabled", "false"),
        ("network.captive-portal-service.enabled", "false"),
        ("network.connectivity-service.enabled", "false"),
        ("network.dns.disablePrefetch", "true"),
        ("network.http.http3.enable", "false"),
        ("network.http.speculative-parallel-limit", "0"),
        ("network.prefetch-next", "false"),
        // The deck looks names up.
        ("network.trr.mode", "5"),
        ("security.OCSP.enabled", "0"),
        ("termsofuse.bypassNotification", "true"),
        ("toolkit.telemetry.enabled", "false"),
        ("toolkit.telemetry.unified", "false"),
    ]

    /// The settings of a profile, as Firefox reads them from `user.js`.
    private var firefoxSettings: String {
        let background = Self.firefoxBackground.map { "'\($0)'" }.joined(separator: ", ")
        // Port 1 refuses at once.
        let script = """
            function FindProxyForURL(url, host) { \
            if ([\(background)].some(name => host == name || host.endsWith('.' + name))) return 'PROXY 127.0.0.1:1'; \
            return 'PROXY \(self.proxyAddress)'; }
            """
        let proxy: [(name: String, value: String)] = [
            ("network.proxy.type", "2"),
            ("network.proxy.autoconfig_url", "\"data:application/x-ns-proxy-autoconfig,\(script)\""),
            ("network.proxy.allow_hijacking_localhost", "true"),
        ]
        return (proxy + Self.firefoxQuiet).map { "user_pref(\"\($0.name)\", \($0.value));\n" }.joined()
    }

    /// Makes the profile's folder, with its settings.
    package func prepareFirefox() throws(DeckError) {
        do {
            try FileContents.makeFolder(self.folder, mode: 0o700)
            let settings = FilePath.join(self.folder, "user.js")
            try FileContents.replace(settings, with: Array(self.firefoxSettings.utf8), waitsForDisk: false)
        } catch {
            throw DeckError("cannot make a profile for Firefox: \(error); name a folder for it with TMPDIR")
        }
    }

    /// Returns the commands that make the profile trust an authority, by the tool of NSS, whose store Firefox reads.
    ///
    /// - Parameter authority: the path of the authority's certificate.
    package func trustInFirefox(_ authority: String) -> [[String]] {
        let store = ["-d", "sql:\(self.folder)"]
        return [
            ["certutil", "-N"] + store + ["--empty-password"],
            ["certutil", "-A"] + store + ["-n", "Tapedeck", "-t", "C,,", "-i", authority],
        ]
    }

    /// Returns the command that starts Firefox, even if another one runs already.
    ///
    /// - Parameters:
    ///   - program: the name or path of the program.
    ///   - arguments: more switches, and URLs to open.
    package func firefox(_ program: String, _ arguments: [String]) -> [String] {
        [program, "--profile", self.folder, "--no-remote", "--new-instance"] + arguments
    }
}
