'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { TapedeckError, TapedeckFailure, framesAbove, seenFrom, placeOf } = require('./errors.cjs');
const { matcherShape, matcherText, expectedCount, requests } = require('./matching.cjs');
const { shared } = require('./process.cjs');
const { issuesOf, issuesOfReport, list, TO_HAVE_A_CASSETTE } = require('./verification.cjs');

/** The session of a test: steers it, says what was asked, and checks what the test expects. */
class Tapedeck {
  #deck;
  #session;
  #options;
  #scope;
  #frames;
  #recorded;
  #ledger = { expectations: [], unimplemented: [] };
  #stubs = 0;
  #folder;
  #ending;
  #isOver = false;

  /** @param {object} parts what `open` in scope.cjs has made */
  constructor({ deck, session, mode, recorded, options, scope, frames }) {
    this.#deck = deck;
    this.#session = session;
    this.#options = options;
    this.#scope = scope;
    this.#frames = frames;
    this.#recorded = recorded;
    this.mode = mode;
  }

  /** True if requests are recorded: all of them, or in the mode `new` those that are not on tape. */
  get isRecording() {
    return this.#recorded !== undefined;
  }

  get name() {
    return this.#session.model.name;
  }

  get id() {
    return this.#session.model.id;
  }

  get seed() {
    return this.#session.model.seed;
  }

  // Clients

  /** The proxy for clients outside this process, with the session in it. */
  get proxyURL() {
    const [id, token] = this.#session.key.split(':');
    return `http://${id}:${token}@${this.#proxyAddress}`;
  }

  get #proxyAddress() {
    const { host, port } = this.#deck;
    return `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** The deck's control API. */
  get controlURL() {
    return this.#deck.control.url;
  }

  /** The deck's certificate authority, PEM. */
  get certificateAuthority() {
    return this.#deck.authority;
  }

  /** A base URL that stands for an origin: plain HTTP, nothing to trust. A path in `url` is kept. */
  baseURL(url) {
    const { protocol, host, pathname } = new URL(url);
    const below = `${protocol.slice(0, -1)}/${host}${pathname.replace(/\/$/, '')}`;
    return `http://${this.#proxyAddress}/.tapedeck/${this.#session.key}/${below}`;
  }

  /** The environment of a child process whose requests are to belong to this session. Its files last as long as that. */
  get environment() {
    this.#folder ??= fs.mkdtempSync(path.join(os.tmpdir(), 'tapedeck-'));
    const authority = path.join(this.#folder, 'authority.pem');
    const bundle = path.join(this.#folder, 'bundle.pem');
    fs.writeFileSync(authority, this.#deck.authority);
    fs.writeFileSync(bundle, this.#deck.authorities.join('\n'));
    const environment = { ...process.env, no_proxy: '', NO_PROXY: '', NODE_USE_ENV_PROXY: '1' };
    for (const name of ['http_proxy', 'https_proxy', 'all_proxy']) {
      environment[name] = environment[name.toUpperCase()] = this.proxyURL;
    }
    for (const name of ['SSL_CERT_FILE', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'GIT_SSL_CAINFO']) {
      environment[name] = bundle;
    }
    environment.NODE_EXTRA_CA_CERTS = authority;
    const preload = path.join(__dirname, 'preload.cjs');
    environment.NODE_OPTIONS = `${environment.NODE_OPTIONS ?? ''} --require ${JSON.stringify(preload)}`.trim();
    return environment;
  }

  // Steering

  /** Plays a variant of a response set from now on, its takes from the first. */
  async select(set, variant) {
    await this.#choose(`/selections/${encodeURIComponent(set)}`, { variant });
  }

  /** Reverts the selection of a response set, or without one: all selections, profiles, takes and state. */
  async reset(set) {
    if (set !== undefined) {
      await this.#session.ask('DELETE', `/selections/${encodeURIComponent(set)}`);
      return;
    }
    await this.#session.ask('POST', '/reset');
    // To a deck the state that a session was made with is a change like any other.
    if (this.#options.state) await this.setState(this.#options.state);
  }

  /** Applies a profile, to all or to the sets and origins in `only`. */
  async apply(profile, { only } = {}) {
    await this.#choose(`/profiles/${encodeURIComponent(profile)}`, only ? { only } : {});
  }

  async #choose(path, body) {
    try {
      await this.#session.ask('PUT', path, body);
    } catch (error) {
      if (this.#session.playsCassettes) throw error;
      throw new TapedeckError(`${error.message}; ${TO_HAVE_A_CASSETTE}`);
    }
  }

  async revert(profile) {
    await this.#session.ask('DELETE', `/profiles/${encodeURIComponent(profile)}`);
  }

  async state() {
    return (await this.#session.ask('GET', '/state')).state;
  }

  /** Changes the state; `null` removes a key. */
  async setState(changes) {
    await this.#session.ask('PATCH', '/state', { state: changes });
  }

  /**
   * Answers matching requests in this session, before any cassette does. `answer` has the members of a take, or
   * `variants`; `json` is short for a JSON body with its content type.
   */
  async stub(matcher, answer = {}) {
    const { json, ...take } = answer;
    if (json !== undefined) {
      take.body = { json: JSON.stringify(json) };
      take.headers = [...(take.headers ?? []), { 'content-type': 'application/json' }];
    }
    if (!take.variants && !take.fault) take.status ??= 200;
    const name = `stub ${(this.#stubs += 1)}`;
    await this.#session.ask('PUT', `/added/${encodeURIComponent(name)}`, { request: matcherShape(matcher), ...take });
    return name;
  }

  /** Fails the test if a matching request comes; it gets status 501. */
  async unimplemented(matcher, reason = '') {
    const place = placeOf(framesAbove(this.unimplemented));
    const name = await this.stub(matcher, { status: 501 });
    this.#ledger.unimplemented.push({ name, matcher, reason, place });
  }

  // Requests so far

  /** The requests so far, oldest first; with a matcher, those that match. */
  async requests(matcher) {
    return this.#session.exchanges({ request: matcher === undefined ? undefined : matcherShape(matcher) });
  }

  /** Waits until `count` matching requests have come; those from before count, too. */
  async waitFor(matcher, { count = 1, timeout = 5000 } = {}) {
    const frames = framesAbove(this.waitFor);
    const request = matcherShape(matcher);
    const result = await this.#session.ask('POST', '/journal/wait', { request, count, within: `${timeout}ms` });
    if (result.isMet) return this.requests(matcher);
    const text = `waited ${timeout} ms for ${requests(count)} to match ${matcherText(matcher)}, and saw ${result.count}`;
    throw new TapedeckFailure(await this.#session.shown([text]), await this.#traffic(), frames);
  }

  /** Expects matching requests, by default at least one. It is checked when the session ends. */
  expect(matcher, count) {
    matcherShape(matcher);
    const place = placeOf(framesAbove(this.expect));
    this.#ledger.expectations.push({ matchers: [matcher], count: expectedCount(count), place });
  }

  /** Expects matching requests in this order, with any others between them. It is checked when the session ends. */
  expectInOrder(matchers) {
    for (const matcher of matchers) matcherShape(matcher);
    this.#ledger.expectations.push({ matchers, place: placeOf(framesAbove(this.expectInOrder)) });
  }

  /** Checks at once what is checked at the end, too. */
  async verify() {
    const frames = framesAbove(this.verify);
    const issues = await this.#session.shown(await issuesOf(this.#session, this.#ledger, this.#options));
    if (issues.length > 0) throw new TapedeckFailure(issues, await this.#traffic(), frames);
  }

  /** The requests of the session, for a test that failed, without secrets. */
  async #traffic() {
    const text = `session ${this.name}, ${this.mode}, seed ${this.seed}`;
    return (await this.#session.shown([text + list(await this.#session.exchanges({ bodies: false }))]))[0];
  }

  // The end

  /**
   * Ends the session, and saves what it has recorded. A second call does nothing.
   *
   * @throws {TapedeckFailure} for all that is wrong with it
   */
  end() {
    this.#ending ??= this.close();
    return this.#ending;
  }

  /**
   * Does what `end` does, after a test that threw; where it is over already, only throws that.
   *
   * @param {{error: unknown}} [thrown] what the test threw
   */
  async close(thrown) {
    if (this.#isOver) {
      if (thrown) throw thrown.error;
      return;
    }
    this.#isOver = true;
    const issues = [];
    let own;
    let traffic;
    try {
      const found = await issuesOf(this.#session, this.#ledger, this.#options);
      if (thrown) [own] = await this.#session.shown([textOf(thrown.error)]);
      issues.push(...(await this.#session.shown(found)));
      if (found.length > 0) traffic = await this.#traffic();
    } catch (error) {
      issues.push(`the deck cannot say what was asked: ${error.message}`);
    }
    const { clients } = this.#scope;
    this.#scope.close();
    try {
      const report = await this.#session.end();
      issues.push(...issuesOfReport(report, this.#session.model.mode, this.#options));
      // Of a session that only played, which a mode such as `new` makes, there is nothing to say.
      if (report.saved?.exchanges !== 0) this.#tell(report.saved?.lines ?? []);
    } catch (error) {
      if (issues.length === 0) issues.push(`the session cannot be ended: ${error.message}`);
    }
    clients.destroy();
    if (this.#folder) fs.rmSync(this.#folder, { recursive: true, force: true });
    if (issues.length === 0) {
      if (thrown) throw thrown.error;
      return;
    }
    if (thrown) issues.push(`the test itself threw ${own ?? 'an error'}`);
    // Runners print causes as they are.
    const cause = thrown && own === textOf(thrown.error) ? { cause: thrown.error } : undefined;
    throw new TapedeckFailure(issues, traffic, this.#frames, cause);
  }

  /** Says what was recorded: how much for each test, other lines once for all tests of the process. */
  #tell(lines) {
    const { told } = shared();
    for (const line of lines) {
      const text = `tapedeck: ${line.includes(this.#recorded) ? line : `${this.#recorded}: ${line}`}\n`;
      if (line.startsWith('wrote ') || !told.has(text)) process.stderr.write(text);
      told.add(text);
    }
  }
}

for (const name of [
  'select', 'reset', 'apply', 'revert', 'state', 'setState', 'stub', 'unimplemented', 'requests', 'waitFor', 'expect',
  'expectInOrder', 'verify',
]) {
  const method = Tapedeck.prototype[name];
  Tapedeck.prototype[name] = function (...args) {
    return seenFrom(framesAbove(this[name]), () => method.apply(this, args));
  };
}

function textOf(error) {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).trimEnd();
}

module.exports = { Tapedeck };
