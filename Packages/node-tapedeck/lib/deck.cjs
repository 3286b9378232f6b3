'use strict';

const fs = require('node:fs');
const path = require('node:path');
const tls = require('node:tls');
const { randomBytes } = require('node:crypto');
const { spawn } = require('node:child_process');
const { ControlClient } = require('./control.cjs');
const { TapedeckError } = require('./errors.cjs');
const { shared } = require('./process.cjs');
const { runBegan } = require('./runs.cjs');

/** The most that is kept of what a deck writes on standard error before it is up, in characters. */
const LOG_LIMIT = 8000;

/** A deck that answers, and how clients reach it. */
class Deck {
  /** @param {boolean} isOwn whether this process has started it, so that its disk is the test's */
  static async open(control, isOwn, proxy) {
    const model = await control.json('GET', '/v1/deck');
    const deck = new Deck();
    deck.control = control;
    deck.isOwn = isOwn;
    deck.allowsDialling = model.allowsDialling;
    Object.assign(deck, addressOf(proxy ?? model.proxyURL, control));
    deck.authority = await control.text('GET', '/v1/ca.pem');
    deck.authorities = [...tls.rootCertificates, ...extraAuthorities(), deck.authority];
    deck.context = tls.createSecureContext({ ca: deck.authorities });
    return deck;
  }

  /** The names of the cassettes in its own folder. */
  async cassettes() {
    return (await this.control.json('GET', '/v1/cassettes')).cassettes.map(({ name }) => name);
  }
}

function addressOf(text, control) {
  let url;
  try {
    url = new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    throw new TapedeckError(`the deck at ${control.url} has its proxy at ${text}, which is no HOST:PORT`);
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A deck on all addresses is reached where its control API is.
  return { host: ['0.0.0.0', '::'].includes(host) ? control.base.hostname : host, port: Number(url.port) || 80 };
}

/** Those that Node itself would trust beside its own. */
function extraAuthorities() {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  try {
    return file ? [fs.readFileSync(file, 'utf8')] : [];
  } catch {
    return [];
  }
}

/**
 * The deck for tests: the one of `TAPEDECK_URL`, else one that this process starts, one for each folder that is
 * recorded into and one for all else. Each is started, or asked what it is, once.
 *
 * @param {string} [binary] the program to start, which goes before the environment
 * @param {string} [folder] of cassettes to record
 */
async function deckFor(binary, folder) {
  const { decks } = shared();
  const url = binary ? undefined : process.env.TAPEDECK_URL || undefined;
  const key = JSON.stringify(url ? [url] : [binary ?? process.env.TAPEDECK_BIN, folder]);
  if (!decks.has(key)) {
    const opening = url
      ? Deck.open(new ControlClient(url, process.env.TAPEDECK_TOKEN || undefined), false, process.env.TAPEDECK_PROXY)
      : start(program(binary), folder);
    decks.set(key, opening);
    // The next test tries again.
    opening.catch(() => decks.delete(key));
  }
  return decks.get(key);
}

/** The program of the optional package for this system, which has the version of this package. */
function installedProgram() {
  try {
    return [require.resolve(`@tapedeck/${process.platform}-${process.arch}/bin/tapedeck`)];
  } catch {
    return [];
  }
}

/** The path of the `tapedeck` program. */
function program(binary) {
  const named = binary ?? process.env.TAPEDECK_BIN;
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const candidates = !named
    ? [...installedProgram(), ...folders.map((folder) => path.join(folder, 'tapedeck'))]
    : named.includes('/') ? [path.resolve(named)] : folders.map((folder) => path.join(folder, named));
  const found = candidates.find((candidate) => {
    try {
      fs.accessSync(candidate, fs.constants.X_OK);
      return fs.statSync(candidate).isFile();
    } catch {
      return false;
    }
  });
  if (found) return found;
  throw new TapedeckError(
    `no deck: there is no program ${named || 'tapedeck; install it as the README says'}; `
      + 'name one with TAPEDECK_BIN or the option `binary`, or a running deck with TAPEDECK_URL',
  );
}

/**
 * Starts a deck that lives as long as this process. Its command says where the deck is, and ends when its standard
 * input does. A deck ends with its command. The other end of that pipe is this process alone, so the deck ends with it,
 * even if it is killed.
 */
async function start(file, folder) {
  // Decks that record one after the other know by the time that they are of one run, and add up.
  const run = folder ? { TAPEDECK_RUN_BEGAN: runBegan() } : {};
  const token = randomBytes(16).toString('hex');
  const child = spawn(
    file,
    [
      ...['serve', '--host', '127.0.0.1', '--port', '0', '--control-port', '0', '--sessions', 'required'],
      ...(folder ? ['--cassettes', folder] : []),
      ...['--', '/bin/sh', '-c', 'echo "$TAPEDECK_URL"; exec cat >/dev/null'],
    ],
    // In a process group of its own: Ctrl-C is for the tests, which still ask the deck what went wrong.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env: { ...process.env, ...run, TAPEDECK_TOKEN: token } },
  );
  const url = await new Promise((resolve, reject) => {
    let said = '';
    let log = '';
    child.stdout.on('data', (bytes) => {
      said += bytes;
      if (said.includes('\n')) resolve(said.split('\n')[0]);
    });
    // Read for as long as the deck lives: a full pipe would stop it.
    child.stderr.on('data', (bytes) => (log = (log + bytes).slice(0, LOG_LIMIT)));
    const failed = (what) => reject(new TapedeckError(`the deck cannot be started: ${file}${what}`));
    child.on('error', (error) => failed(`: ${error.message}`));
    child.on('close', () => failed(` serve said:\n${log.trim() || 'nothing'}`));
  });
  // None of these keeps the process from ending.
  for (const handle of [child, ...child.stdio]) handle.unref();
  return Deck.open(new ControlClient(url, token), true);
}

module.exports = { deckFor };
