'use strict';

const { TapedeckError } = require('./errors.cjs');

/**
 * Which requests are meant, in the shape of a cassette's `request:`, from `'POST /login'`, from `'/login'` for any
 * method, or from such a shape itself. `/login` is that path of any origin; `{gaps}` make a template.
 */
function matcherShape(matcher) {
  if (typeof matcher !== 'string') {
    if (matcher && typeof matcher === 'object' && !Array.isArray(matcher)) return withPattern(matcher);
    throw new TapedeckError(`${String(matcher)} is no matcher; write 'GET /users' or { method: 'GET', url: '/users' }`);
  }
  const [, method, url] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(matcher.trim()) ?? [];
  if (!url) throw new TapedeckError(`"${matcher}" is no matcher; write one such as 'GET /users' or '/users/{id}'`);
  return { ...(method && { method: method.toUpperCase() }), ...urlShape(url) };
}

function urlShape(url) {
  if (url.includes('{')) return { urlTemplate: url };
  // A URL without a query allows any.
  return url.includes('?') ? { url } : { url, otherQuery: 'allowed' };
}

function withPattern({ url, ...others }) {
  if (url === undefined) return others;
  if (!(url instanceof RegExp)) return { ...urlShape(String(url)), ...others };
  return { ...others, urlPattern: url.ignoreCase ? { pattern: url.source, ignoreCase: true } : url.source };
}

/** A matcher as failures show it. */
function matcherText(matcher) {
  if (typeof matcher === 'string') return matcher;
  const { method, url, ...others } = matcher;
  const conditions = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
  return `${method ?? 'any method'} ${url ?? 'any URL'}${conditions}`;
}

/** How many requests are expected, from a number or `{ times, atLeast, atMost, never }`; at least one by default. */
function expectedCount(count = {}) {
  const { times, atLeast, atMost, never } = typeof count === 'number' ? { times: count } : count;
  const least = never ? 0 : times ?? atLeast ?? (atMost === undefined ? 1 : 0);
  const most = never ? 0 : times ?? atMost ?? Infinity;
  if (!(least >= 0 && most >= least)) throw new TapedeckError(`${JSON.stringify(count)} is no number of requests`);
  const text =
    most === 0 ? 'no request'
      : least === most ? `exactly ${requests(least)}`
        : most === Infinity ? `at least ${requests(least)}`
          : least === 0 ? `at most ${requests(most)}` : `${least} to ${requests(most)}`;
  return { text, holds: (found) => found >= least && found <= most };
}

function requests(count) {
  return count === 1 ? '1 request' : `${count} requests`;
}

module.exports = { matcherShape, matcherText, expectedCount, requests };
