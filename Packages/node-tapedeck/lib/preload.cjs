'use strict';

// Leads the http, https and fetch of a Node program through the proxy that its environment names:
//
//     NODE_OPTIONS='--require /path/to/lib/preload.cjs' HTTPS_PROXY=http://127.0.0.1:4747 node app.js
//
// Certificates are Node's own matter (NODE_EXTRA_CA_CERTS). Versions that read the proxy variables themselves and are
// told to (NODE_USE_ENV_PROXY) need none of this.

const { install, RouteClients } = require('./routing.cjs');

/** True if Node's fetch, http and https read the proxy variables, which they do from 22.21 and 24.5 on when told to. */
function isBuiltIn() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const reads = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
  return reads && process.env.NODE_USE_ENV_PROXY === '1';
}

function variable(name) {
  return process.env[name] || process.env[name.toUpperCase()];
}

/** The route to the proxy of a variable's value; `undefined` where it is no `http` URL. */
function clientsFor(text) {
  if (!text) return undefined;
  let url;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    return undefined;
  }
  if (url.protocol !== 'http:') return undefined;
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return new RouteClients({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || 80,
    authorization: url.username ? `Basic ${Buffer.from(credentials).toString('base64')}` : undefined,
  });
}

/** The hosts of NO_PROXY: `*`, names with all below them, each with a port or without. */
function exceptions(text) {
  const entries = (text ?? '').toLowerCase().split(/[\s,]+/).filter(Boolean);
  return ({ host, port }) =>
    entries.some((entry) => {
      if (entry === '*') return true;
      const [, name, only] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry);
      const plain = name.replace(/^\*?\./, '');
      const own = host.toLowerCase();
      return (!only || Number(only) === port) && (own === plain || own.endsWith(`.${plain}`));
    });
}

const all = variable('all_proxy');
const secure = clientsFor(variable('https_proxy') || all);
const plain = clientsFor(variable('http_proxy') || all);
const isException = exceptions(variable('no_proxy'));

/** True for a proxy itself, which libraries that read the variables on their own ask. */
function isProxy({ host, port }) {
  return [secure, plain].some((clients) => clients?.route.host === host.toLowerCase() && clients.route.port === port);
}

if ((secure || plain) && !isBuiltIn()) {
  install((origin) => (isException(origin) || isProxy(origin) ? undefined : origin.secure ? secure : plain));
}
