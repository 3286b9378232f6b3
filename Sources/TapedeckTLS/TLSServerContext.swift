import COpenSSL

/// The settings of all intercepted connections: TLS 1.2 and 1.3, ALPN `h2` (if the connection supports it) and
/// `http/1.1`, session tickets, and a certificate per connection for the requested name.
///
/// A client that offers ALPN without any of these or `http/1.0` gets the alert no_application_protocol (RFC 7301
/// section 3.2); one that offers no ALPN gets none.
package final class TLSServerContext: Sendable {
    let handle: SSLContextHandle
    let leaves: LeafCache

    /// A context that presents certificates from `leaves`.
    ///
    /// - Throws: `TLSError(.library)` if OpenSSL fails.
    package init(leaves: LeafCache) throws {
        self.leaves = leaves
        self.handle = try SSLContextHandle(TLS_server_method())
        let context = self.handle.pointer
        let name = Array("tapedeck".utf8)
        try require(
            success: SSL_CTX_set_session_id_context(context, name, UInt32(name.count)),
            "set the session id context"
        )
        // Tickets carry the sessions, so nothing is kept here for clients that never come back.
        tapedeck_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        tapedeck_SSL_CTX_set_tlsext_servername_callback(context) { ssl, _, _ in
            guard let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else {
                return SSL_TLSEXT_ERR_NOACK
            }
            TLSConnection.of(ssl)?.serverName = String(cString: name)
            return SSL_TLSEXT_ERR_OK
        }
        SSL_CTX_set_cert_cb(
            context,
            { ssl, _ in TLSConnection.of(ssl)?.presentLeaf() == true ? 1 : 0 },
            nil
        )
        SSL_CTX_set_alpn_select_cb(
            context,
            { ssl, selected, selectedCount, offered, offeredCount, _ in
                let offers = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
                guard
                    let range = TLSServerContext.select(
                        from: offers,
                        http2: TLSConnection.of(ssl)?.speaksHTTP2 ?? false
                    ),
                    let offered
                else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                selected?.pointee = offered + range.lowerBound
                selectedCount?.pointee = UInt8(range.count)
                return SSL_TLSEXT_ERR_OK
            },
            nil
        )
    }

    /// Returns the position of the selected protocol in a list of names, each after a length byte.
    ///
    /// - Parameter http2: true to prefer `h2`.
    static func select(from offers: UnsafeBufferPointer<UInt8>, http2: Bool) -> Range<Int>? {
        var usual: Range<Int>?
        var older: Range<Int>?
        var index = 0
        while index < offers.count {
            let range = index + 1..<index + 1 + Int(offers[index])
            guard range.upperBound <= offers.count else {
                return nil
            }
            if http2, offers[range].elementsEqual("h2".utf8) {
                return range
            }
            if offers[range].elementsEqual("http/1.1".utf8) {
                usual = range
            }
            if offers[range].elementsEqual("http/1.0".utf8) {
                older = range
            }
            index = range.upperBound
        }
        return usual ?? older
    }
}
