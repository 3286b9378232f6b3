'use strict';

const http = require('node:http');
const https = require('node:https');
const { connectThrough } = require('./tunnel.cjs');

// Jest gives every test file its own global object, but Node's own classes and the object that built-in fetch reads
// are those of the main realm.
const realm = http.Agent.constructor('return globalThis')();
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** Marks agents whose requests no route is for: those to the control API, and those of a route already. */
const DIRECT = Symbol.for('tapedeck.direct');

/** The clients of one route: their connections are shared with no other route. */
class RouteClients {
  /** @param {import('./tunnel.cjs').Route} route */
  constructor(route) {
    const agent = (Agent, secure) => {
      const made = Object.assign(new Agent({ keepAlive: true }), { [DIRECT]: true });
      // A socket that is returned, not called back with, would be used before its tunnel is open.
      made.createConnection = (options, callback) => void connectThrough(route, secure, options, callback);
      return made;
    };
    this.plain = agent(http.Agent, false);
    this.secure = agent(https.Agent, true);
    this.route = route;
    this.fetching = undefined;
  }

  /** The dispatcher for fetch, of the class that fetch came with. */
  dispatcher(Agent) {
    this.fetching ??= new Agent({
      connect: (options, callback) => {
        const secure = options.protocol === 'https:';
        const inside = { ...options, host: options.hostname, ALPNProtocols: ['http/1.1'] };
        connectThrough(this.route, secure, inside, (error, socket) => {
          if (error || !secure) return callback(error, socket);
          const failed = (failure) => callback(failure);
          socket.once('error', failed).once('secureConnect', () => {
            socket.off('error', failed);
            callback(null, socket);
          });
        });
      },
    });
    return this.fetching;
  }

  /** Closes all connections; requests under way fail. */
  destroy() {
    this.plain.destroy();
    this.secure.destroy();
    this.fetching?.destroy().catch(() => {});
  }
}

/**
 * Leads http, https and fetch of this process through routes, for as long as the process lives.
 *
 * @param {(origin: {host: string, port: number, secure: boolean}) => RouteClients | undefined} choose is called in the
 *   asynchronous context of each request. Without clients the request goes its own way; an error that it throws is
 *   that of the request.
 */
function install(choose) {
  installHTTP(choose);
  installFetch(choose);
}

function installHTTP(choose) {
  const addRequest = http.Agent.prototype.addRequest;
  // Whatever agent a request has, and whatever that overrides: the agent of its route gets the request.
  http.Agent.prototype.addRequest = function (request, options, ...rest) {
    if (this[DIRECT] || options.socketPath) return addRequest.call(this, request, options, ...rest);
    const secure = request.protocol === 'https:';
    let clients;
    try {
      const host = options.hostname || options.host || 'localhost';
      clients = choose({ host, port: Number(options.port) || (secure ? 443 : 80), secure });
    } catch (error) {
      // As agents themselves report that there is no connection.
      request.onSocket(null, error);
      return undefined;
    }
    const agent = clients && (secure ? clients.secure : clients.plain);
    if (!agent) return addRequest.call(this, request, options, ...rest);
    request.agent = agent;
    return addRequest.call(agent, request, { ...options, ...this.options }, ...rest);
  };
}

function installFetch(choose) {
  if (typeof realm.fetch !== 'function') return;
  // Loads what is behind fetch, which sets its dispatcher.
  realm.fetch('data:,').catch(() => {});
  const original = realm[DISPATCHER];
  const Agent = agentClass(original);
  if (!Agent) return;
  realm[DISPATCHER] = new Proxy(original, {
    get(target, name) {
      if (name !== 'dispatch') {
        const value = target[name];
        return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value;
      }
      return (options, handler) => {
        const url = new URL(options.origin);
        const secure = url.protocol === 'https:';
        const host = url.hostname.replace(/^\[|\]$/g, '');
        const clients = choose({ host, port: Number(url.port) || (secure ? 443 : 80), secure });
        return (clients?.dispatcher(Agent) ?? target).dispatch(options, handler);
      };
    },
  });
}

/** The class that pools connections: that of the global dispatcher, or of one inside it, as in the one that reads proxy variables. */
function agentClass(dispatcher) {
  const inner = Object.getOwnPropertySymbols(dispatcher ?? {}).map((symbol) => dispatcher[symbol]);
  return [dispatcher, ...inner].find((value) => value?.constructor?.name === 'Agent')?.constructor;
}

module.exports = { install, RouteClients, DIRECT };
