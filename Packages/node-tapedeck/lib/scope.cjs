'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { cassetteFile, resolveCassettes, folderOf, variants } = require('./cassettes.cjs');
const { deckFor } = require('./deck.cjs');
const { TapedeckError, TapedeckFailure, framesAbove, placeOf } = require('./errors.cjs');
const { shared } = require('./process.cjs');
const { RouteClients } = require('./routing.cjs');
const { Session } = require('./session.cjs');
const { Tapedeck } = require('./tapedeck.cjs');

const MODES = ['replay', 'record', 'append', 'passthrough'];
const OPTIONS = [
  'folder', 'select', 'profiles', 'state', 'seed', 'mode', 'missing', 'allowUnmatched', 'requireUse', 'name', 'binary',
  'test',
];
/** Characters of a session's name. */
const NAME_LIMIT = 200;

/** `(cassettes?, options?)`, each of which may be left out. */
function parse(args) {
  const isCassettes = typeof args[0] === 'string' || Array.isArray(args[0]);
  const cassettes = isCassettes ? [args[0]].flat() : [];
  const options = { ...args[isCassettes ? 1 : 0] };
  const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option));
  if (unknown) throw new TapedeckError(`there is no option \`${unknown}\`; there are: ${OPTIONS.join(', ')}`);
  return { cassettes, options };
}

function modeOf({ cassettes, options }) {
  const named = options.mode ?? (process.env.TAPEDECK_MODE || undefined);
  if (named !== undefined && !MODES.includes(named)) {
    const where = options.mode === undefined ? 'TAPEDECK_MODE' : 'the option `mode`';
    throw new TapedeckError(`${where} is "${named}"; it must be one of ${MODES.join(', ')}`);
  }
  if (options.missing !== undefined && !['fail', 'record'].includes(options.missing)) {
    throw new TapedeckError(`the option \`missing\` is "${options.missing}"; it must be fail or record`);
  }
  // A test without a cassette has nothing to record into.
  return options.mode === undefined && cassettes.length === 0 ? 'replay' : named ?? 'replay';
}

const records = (mode) => mode === 'record' || mode === 'append';

function isCI() {
  return !['', '0', 'false'].includes((process.env.CI ?? '').toLowerCase());
}

/** Makes a session, and the clients that lead to it. */
async function open(parsed, scope, frames) {
  const { cassettes, options } = parsed;
  const files = cassettes.map((name) => cassetteFile(name, folderOf(options.folder)));
  let mode = modeOf(parsed);
  // With CI set, the message about the missing cassette is better.
  if (mode === 'replay' && options.missing === 'record' && files.length === 1 && !files[0].exists && !isCI()) {
    mode = 'record';
  }
  if (records(mode)) checkRecording(mode, files);
  const deck = await deckFor(options.binary, records(mode) ? path.dirname(files[0].file) : undefined);
  if (mode !== 'replay' && !deck.allowsDialling) {
    throw new TapedeckError(
      `the deck at ${deck.control.url} only replays, so no test can have the mode ${mode}; start it with \`tapedeck serve\``,
    );
  }
  const { select, profiles, state, seed } = options;
  const model = await deck.control.json('POST', '/v1/sessions', {
    name: scope.name,
    mode,
    ...(await resolveCassettes(files, deck, records(mode))),
    ...(select && { selections: select }),
    ...(profiles && { profiles: [profiles].flat() }),
    ...(state && { state }),
    ...(seed !== undefined && { seed }),
  });
  const session = new Session(deck.control, model);
  scope.clients = new RouteClients({
    host: deck.host,
    port: deck.port,
    authorization: `Basic ${Buffer.from(session.key).toString('base64')}`,
    authorities: deck.authorities,
    context: deck.context,
  });
  const { hostname, port } = deck.control.base;
  scope.clients.own = [`${deck.host}:${deck.port}`, `${hostname}:${port}`];
  return new Tapedeck({ deck, session, mode, options, scope, frames });
}

function checkRecording(mode, files) {
  if (files.length === 0) {
    throw new TapedeckError(`the mode ${mode} needs a cassette to write: name one, which need not exist yet`);
  }
  if (isCI()) {
    throw new TapedeckError(
      `nothing is recorded where CI is set, and this test would ${mode} ${files[0].file}: `
        + 'record on your own machine, commit the cassette, and have CI play it',
    );
  }
  fs.mkdirSync(path.dirname(files[0].file), { recursive: true });
}

/** What a session is called: as the option says, as the test that runs, or as the line that opens it. */
function nameOf({ options }, frames) {
  const { test } = options;
  const running = globalThis.expect?.getState?.()?.currentTestName;
  const name = options.name ?? test?.fullName ?? test?.task?.name ?? test?.name ?? running ?? placeOf(frames);
  const plain = String(name).replace(/\s+/g, ' ');
  // The end tells tests apart.
  return plain.length <= NAME_LIMIT ? plain : `${plain.slice(0, 80)}…${plain.slice(-(NAME_LIMIT - 81))}`;
}

/** Runs `body` with a session of its own: its requests go to that session, and to no other. */
async function run(parsed, frames, body) {
  const { scopes } = shared();
  const scope = { name: nameOf(parsed, frames), isBlock: true, close: () => (scope.clients = undefined) };
  const deck = await open(parsed, scope, frames);
  let result;
  let thrown;
  try {
    result = await scopes.run(scope, () => body(deck));
  } catch (error) {
    thrown = { error };
  }
  await deck.close(thrown);
  return result;
}

/**
 * Runs `body` with a session, `withTapedeck(cassettes?, options?, body)`, and returns what it returns.
 *
 * @throws {TapedeckFailure} for all that is wrong with the session at its end
 */
function withTapedeck(...args) {
  const frames = framesAbove(withTapedeck);
  return attempt(() => run(parse(args.slice(0, -1)), frames, bodyOf(args)));
}

/** Runs `body(deck, variant)` for each variant of a response set, each with a session of its own. */
function withVariants(set, ...args) {
  const frames = framesAbove(withVariants);
  return attempt(async () => {
    const parsed = parse(args.slice(0, -1));
    const { cassettes, options } = parsed;
    const body = bodyOf(args);
    const failures = [];
    for (const variant of await variants(set, cassettes, options)) {
      const select = { ...options.select, [set]: variant };
      const name = `${nameOf(parsed, frames)}: ${variant}`;
      try {
        await run({ cassettes, options: { ...options, select, name } }, frames, (deck) => body(deck, variant));
      } catch (error) {
        failures.push({ variant, error });
      }
    }
    if (failures.length === 0) return;
    const [{ variant, error }] = failures;
    const which = failures.map((failure) => `"${failure.variant}"`).join(', ');
    const issues = error instanceof TapedeckFailure ? error.issues : ['its error is the cause of this one'];
    throw new TapedeckFailure(
      [`variants of "${set}" that fail: ${which}; the first, "${variant}":`, ...issues],
      frames,
      { cause: error },
    );
  });
}

/**
 * Opens a session, `startTapedeck(cassettes?, options?)`, until `end` is called: for hooks such as beforeEach. Requests
 * of the caller belong to it, and as long as it is the only one that is open so do those of everyone else outside
 * `withTapedeck`.
 */
function startTapedeck(...args) {
  const frames = framesAbove(startTapedeck);
  const { scopes, open: opened } = shared();
  return attempt(() => {
    const parsed = parse(args);
    const scope = { name: nameOf(parsed, frames), isBlock: false };
    scope.close = () => {
      opened.delete(scope);
      scope.clients = undefined;
    };
    // Before anything is awaited, so that it holds for what the caller does afterwards.
    scopes.enterWith(scope);
    return open(parsed, scope, frames).then((deck) => {
      opened.add(scope);
      parsed.options.test?.after?.(() => deck.end());
      return deck;
    });
  });
}

function bodyOf(args) {
  const body = args[args.length - 1];
  if (typeof body !== 'function') throw new TapedeckError('the last argument is the function that runs with the session');
  return body;
}

/** Errors of the arguments reject, too. */
function attempt(work) {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}

module.exports = { withTapedeck, withVariants, startTapedeck };
