package import TapedeckCassettes
import TapedeckCore
import TapedeckPlatform
import TapedeckTLS

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A browser with a fresh profile that sends its requests through a deck, and none in the background.
package struct BrowserProfile: Sendable {
    /// Hosts that a new Chromium profile contacts in the background. The browser finds no address for them, and does
    /// not ask the deck.
    private static let backgroundHosts = [
        "update.googleapis.com", "accounts.google.com", "*.gvt1.com", "connectivitycheck.gstatic.com",
        "clients2.google.com", "clients2.googleusercontent.com", "optimizationguide-pa.googleapis.com",
        "content-autofill.googleapis.com", "safebrowsing.googleapis.com", "safebrowsingohttpgateway.googleapis.com",
        "android.clients.google.com", "mtalk.google.com",
    ]
    /// Switches that turn off what Chromium does in the background and at its first start.
    private static let quiet = [
        "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
        "--disable-sync", "--disable-default-apps", "--disable-domain-reliability",
        "--disable-client-side-phishing-detection", "--disable-extensions",
        "--disable-component-extensions-with-background-pages", "--metrics-recording-only", "--no-pings",
        "--disable-quic", "--disable-breakpad", "--disable-field-trial-config", "--password-store=basic",
        "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,"
            + "CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,NetworkTimeServiceQuerying",
    ]

    let folder: String
    let proxy: (host: String, port: Int)
    private let keyDigest: [UInt8]

    /// The deck's host and port as switches and settings of browsers have them.
    var proxyAddress: String {
        let host = self.proxy.host.contains(":") ? "[\(self.proxy.host)]" : self.proxy.host
        return "\(host):\(self.proxy.port)"
    }

    /// Describes a profile for a deck. The folder is made by Chromium, or by ``prepareFirefox()``.
    ///
    /// - Throws: ``DeckError`` if the key of the deck's certificates cannot be read.
    package init(for deck: Deck) throws(DeckError) {
        self.folder = ProcessEnvironment.temporaryFolder("tapedeck-browser")
        self.proxy = deck.proxyAddress
        do {
            self.keyDigest = try deck.authority.leafKeyDigest()
        } catch {
            throw DeckError(error)
        }
    }

    /// Returns the command that starts Chromium.
    ///
    /// The deck's certificates are accepted by their key, which this run has made, and in this profile alone.
    ///
    /// - Parameters:
    ///   - program: the name or path of the program.
    ///   - arguments: more switches, and URLs to open.
    package func chromium(_ program: String, _ arguments: [String]) -> [String] {
        let key = String(decoding: Base64.encode(self.keyDigest), as: UTF8.self)
        let bypasses = (["<-loopback>"] + Self.backgroundHosts).joined(separator: ";")
        let rules = Self.backgroundHosts.map { "MAP \($0) ~NOTFOUND" }.joined(separator: ",")
        let own = [
            "--user-data-dir=\(self.folder)", "--proxy-server=\(self.proxyAddress)",
            "--proxy-bypass-list=\(bypasses)", "--host-resolver-rules=\(rules)",
            "--ignore-certificate-errors-spki-list=\(key)",
        ]
        // Chromium refuses to run as root with its sandbox.
        return [program] + own + Self.quiet + (geteuid() == 0 ? ["--no-sandbox"] : []) + arguments
    }

    /// Removes the profile.
    package func remove() {
        try? FileManager.default.removeItem(atPath: self.folder)
    }
}
