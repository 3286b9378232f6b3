import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cookies and credentials of one session of a deck, in memory. They replace those that a whole process shares, so
/// that no test depends on which ran before it.
struct SessionStorage: Sendable {
    private let cookies: HTTPCookieStorage?
    private let credentials: URLCredentialStorage?

    init() {
        let own = URLSessionConfiguration.ephemeral
        self.cookies = own.httpCookieStorage
        self.credentials = own.urlCredentialStorage
    }

    /// Replaces the shared storages of a configuration, as `URLSessionConfiguration.default` has them. Others stay.
    func replaceShared(in configuration: URLSessionConfiguration) {
        if configuration.httpCookieStorage === HTTPCookieStorage.shared {
            configuration.httpCookieStorage = self.cookies
        }
        if configuration.urlCredentialStorage === URLCredentialStorage.shared {
            configuration.urlCredentialStorage = self.credentials
        }
    }
}

/// The storages of `URLSession.shared` as they were before a test that has its requests.
struct SharedStorages: Sendable {
    private let cookies: [HTTPCookie]
    /// The user names of the credentials, by their protection spaces.
    private let users: [URLProtectionSpace: Set<String>]

    /// Notes what is there, and empties the cookies and the cache. Credentials stay, because a keychain may have them.
    init() {
        self.cookies = HTTPCookieStorage.shared.cookies ?? []
        self.users = URLCredentialStorage.shared.allCredentials.mapValues { Set($0.keys) }
        for cookie in self.cookies { HTTPCookieStorage.shared.deleteCookie(cookie) }
        Self.emptyCache()
    }

    /// Removes what a test has added, and puts back what was there before.
    func restore() {
        let storage = HTTPCookieStorage.shared
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        for cookie in self.cookies { storage.setCookie(cookie) }
        let credentials = URLCredentialStorage.shared
        for (space, found) in credentials.allCredentials {
            for (user, credential) in found where !(self.users[space]?.contains(user) ?? false) {
                credentials.remove(credential, for: space)
            }
        }
        Self.emptyCache()
    }

    private static func emptyCache() {
        // Foundation on Linux asks no cache for a URL protocol's requests.
        #if canImport(Darwin)
        URLCache.shared.removeAllCachedResponses()
        #endif
    }
}
