'use strict';

const http = require('node:http');
const { AsyncLocalStorage } = require('node:async_hooks');
const { TapedeckError } = require('./errors.cjs');
const { install } = require('./routing.cjs');
const { RunningTests } = require('./running.cjs');

/**
 * What a process has once: its decks, and which session the requests of which test belong to. Jest loads this package
 * anew for every test file, so it hangs on a class of Node's own, which is one for all of them.
 *
 * @returns {{
 *   decks: Map<string, Promise<object>>, scopes: AsyncLocalStorage<object>, open: Set<object>,
 *   running: RunningTests, owners: Map<string, object>, told: Set<string>
 * }} `owners` has the tests of cassettes that are named after them, and `told` what was said of recordings
 */
function shared() {
  const KEY = Symbol.for('node-tapedeck.process');
  if (!http.Agent[KEY]) {
    const state = {
      decks: new Map(),
      scopes: new AsyncLocalStorage(),
      open: new Set(),
      running: new RunningTests(),
      owners: new Map(),
      told: new Set(),
    };
    install((origin) => {
      const clients = clientsOf(state);
      // The deck itself, for its base URLs and its control API, is no origin.
      return clients?.own.includes(`${origin.host}:${origin.port}`) ? undefined : clients;
    });
    Object.defineProperty(http.Agent, KEY, { value: state });
  }
  return http.Agent[KEY];
}

/**
 * The clients for a request of the asynchronous context in which this is called.
 *
 * @throws {TapedeckError} for a request of a test that is over, and for one that may be any of several tests'
 */
function clientsOf({ scopes, open }) {
  const scope = scopes.getStore();
  if (scope?.clients) return scope.clients;
  if (scope?.isBlock) throw new TapedeckError(`the session of "${scope.name}" is over, and so are its requests`);
  // Those of hooks such as beforeEach, whose context is not that of the test.
  const [only, ...others] = open;
  if (others.length > 0) {
    throw new TapedeckError(
      `startTapedeck has ${open.size} sessions open, and it is unknown which of them a request belongs to: `
        + 'use withTapedeck in tests that run at the same time',
    );
  }
  return only?.clients;
}

module.exports = { shared };
