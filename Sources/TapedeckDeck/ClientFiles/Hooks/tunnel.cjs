'use strict';

const net = require('node:net');
const tls = require('node:tls');

/** The largest head of a proxy's answer to CONNECT, in bytes. */
const HEAD_LIMIT = 64 * 1024;

/**
 * A way through a proxy.
 *
 * @typedef {object} Route
 * @property {string} host the proxy's
 * @property {number} port the proxy's
 * @property {string} [authorization] the value of `Proxy-Authorization`
 * @property {string[]} [authorities] PEM certificates to trust in place of Node's
 * @property {import('node:tls').SecureContext} [context] what trusts `authorities`
 */

/** Opens a tunnel to `host:port` with CONNECT (RFC 9110, section 9.3.6) and calls back with its socket, paused. */
function openTunnel(route, host, port, callback) {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`;
  const socket = net.connect({ host: route.host, port: route.port });
  socket.setNoDelay(true);
  let head = Buffer.alloc(0);
  const finish = (error) => {
    socket.off('error', finish).off('close', closed).off('data', receive);
    if (error) {
      socket.on('error', () => {}).destroy();
      callback(error);
    } else {
      callback(null, socket);
    }
  };
  const failure = (what, code) =>
    Object.assign(new Error(`no connection to ${authority} through the proxy ${route.host}:${route.port}: ${what}`), {
      code,
    });
  const closed = () => finish(failure('it closed the connection', 'ECONNRESET'));
  const receive = (bytes) => {
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) {
      if (head.length > HEAD_LIMIT) finish(failure('its answer has no end', 'EPROTO'));
      return;
    }
    const status = head.toString('latin1', 0, end).split('\r\n')[0];
    if (!/^HTTP\/1\.[01] 2\d\d/.test(status)) return finish(failure(status.slice(0, 300), 'ECONNREFUSED'));
    socket.pause();
    const rest = head.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    finish(null);
  };
  socket.on('error', finish).on('close', closed).on('data', receive);
  const credentials = route.authorization ? `Proxy-Authorization: ${route.authorization}\r\n` : '';
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
}

/** The options of the TLS inside a tunnel: the client's own, and the route's authorities beside the client's. */
function tlsOptions(route, options, socket) {
  const host = options.servername || options.host || options.hostname;
  const own = { ...options, socket, host, servername: net.isIP(host) ? '' : host };
  if (!route.authorities) return own;
  if (!options.ca && !options.cert && !options.key && !options.pfx) return { ...own, secureContext: route.context };
  delete own.secureContext;
  return { ...own, ca: [options.ca ?? tls.rootCertificates, route.authorities].flat() };
}

/** Opens a tunnel and, for `secure`, TLS in it; calls back with the socket. */
function connectThrough(route, secure, options, callback) {
  const host = options.hostname || options.host || 'localhost';
  openTunnel(route, host, options.port || (secure ? 443 : 80), (error, socket) => {
    if (error) return callback(error);
    if (!secure) {
      callback(null, socket);
      socket.resume();
      return;
    }
    const client = tls.connect(tlsOptions(route, options, socket));
    client.setNoDelay(true);
    callback(null, client);
  });
}

module.exports = { connectThrough };
