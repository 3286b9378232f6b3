'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { cassetteFile, resolveCassettes, folderOf, shown, variants } = require('./cassettes.cjs');
const { deckFor } = require('./deck.cjs');
const { TapedeckError, TapedeckFailure, framesAbove, seenFrom, placeOf } = require('./errors.cjs');
const { modeOf, isCI, DECK_MODES } = require('./modes.cjs');
const { sessionName, testName, ownCassette } = require('./names.cjs');
const { shared } = require('./process.cjs');
const { RouteClients } = require('./routing.cjs');
const { lacked } = require('./runs.cjs');
const { Session } = require('./session.cjs');
const { Tapedeck } = require('./tapedeck.cjs');

const OPTIONS = [
  'folder', 'select', 'profiles', 'state', 'seed', 'mode', 'allowUnmatched', 'requireUse', 'name', 'binary', 'test',
];

/** `(cassettes?, options?)`, each of which may be left out; without `cassettes` the test has one of its own. */
function parse(args) {
  const isCassettes = typeof args[0] === 'string' || Array.isArray(args[0]);
  const cassettes = isCassettes ? [args[0]].flat() : undefined;
  const options = { ...args[isCassettes ? 1 : 0] };
  const unknown = Object.keys(options).find((option) => !OPTIONS.includes(option));
  if (unknown) throw new TapedeckError(`there is no option \`${unknown}\`; there are: ${OPTIONS.join(', ')}`);
  return { cassettes, options };
}

/** The scope of a session: `name`, and `test`, which is `undefined` if it is unknown. */
function scopeOf({ options }, frames) {
  const test = shared().running.current(options, frames);
  const name = options.name !== undefined ? sessionName(String(options.name))
    : test ? testName(test) : sessionName(placeOf(frames));
  return { name, test: options.name === undefined ? test : test && { ...test, name: String(options.name) } };
}

/** The cassettes of a session; the test's own where it names none. */
function filesOf({ cassettes, options }, scope) {
  const folder = folderOf(options.folder);
  if (cassettes) return cassettes.map((name) => cassetteFile(name, folder));
  const { test } = scope;
  if (!test) {
    throw new TapedeckError(
      'a session that names no cassette has one that is named after the test, which is unknown here: give the option '
        + '`test`, the context of the test, or name a cassette; `[]` is none',
    );
  }
  const file = { ...cassetteFile(ownCassette(test), folder), isNamed: false };
  const { owners } = shared();
  const { identity } = test;
  // The context of a test and what runs it are two objects, so only those of a kind are compared.
  const key = `${identity?.constructor?.name} ${file.file}`;
  if (identity && owners.has(key) && owners.get(key) !== identity) {
    throw new TapedeckError(
      `two tests are called "${test.name}" and would share the cassette ${file.file}; give one of them another name`,
    );
  }
  if (identity) owners.set(key, identity);
  return [file];
}

/** Makes a session, and the clients that lead to it. */
async function open(parsed, scope, frames) {
  const { options } = parsed;
  const mode = modeOf(options);
  const files = filesOf(parsed, scope);
  const deckMode = await deckModeOf(mode, files, options);
  const isRecording = deckMode !== 'replay';
  if (isRecording) checkRecording(mode, files, scope, options);
  const deck = await deckFor(options.binary, isRecording ? files[0].folder : undefined);
  if (isRecording && !deck.allowsDialling) {
    throw new TapedeckError(
      `the deck at ${deck.control.url} only replays, so nothing can be recorded there; start it with \`tapedeck serve\``,
    );
  }
  const { select, profiles, state, seed } = options;
  const resolved = await resolveCassettes(files, deck, isRecording);
  const model = await deck.control.json('POST', '/v1/sessions', {
    name: scope.name,
    mode: deckMode,
    // If tests that share a cassette got different answers, each has a profile with its own.
    ownProfile: true,
    ...resolved,
    // Commands that the deck proposes name the files.
    paths: Object.fromEntries(resolved.cassettes.map((name, index) => [name, shown(files[index].file)])),
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
  const recorded = isRecording ? shown(placeAt(files[0], options)) : undefined;
  return new Tapedeck({ deck, session, mode, recorded, options, scope, frames });
}

/** What the deck does: records, or plays what is on tape. */
async function deckModeOf(mode, files, options) {
  if (mode === 'replay' || files.length === 0) return 'replay';
  const [file] = files;
  const exists = async () =>
    file.exists || (urlOf(options) !== undefined && (await (await deckFor(options.binary)).cassettes()).includes(file.name));
  // Asked in every mode that records, so that it is noted for the tests of the mode `once`.
  const wasMissing = await lacked(placeAt(file, options), exists);
  return mode === 'once' && !wasMissing ? 'replay' : DECK_MODES[mode];
}

/** Where a cassette is recorded: its file, or its name at a deck that runs already. */
function placeAt(file, options) {
  const url = urlOf(options);
  return url ? `${file.name} of ${url}` : file.file;
}

function urlOf({ binary }) {
  return binary ? undefined : process.env.TAPEDECK_URL || undefined;
}

function checkRecording(mode, files, { test }, options) {
  if (isCI()) {
    throw new TapedeckError(
      `nothing is recorded where CI is set, and in the mode "${mode}" this test would record ${shown(files[0].file)}: `
        + 'record on your own machine, commit the cassette, and have CI play it',
    );
  }
  // Its answers would be found again under this name.
  if (!test && options.name === undefined) {
    throw new TapedeckError(
      `in the mode "${mode}" a session has to know its test: give the option \`test\`, the context of the test, or \`name\``,
    );
  }
  if (!urlOf(options)) fs.mkdirSync(path.dirname(files[0].file), { recursive: true });
}

/** Runs `body` with a session of its own: its requests go to that session, and to no other. */
async function run(parsed, frames, body) {
  const { scopes } = shared();
  const scope = { ...scopeOf(parsed, frames), isBlock: true, close: () => (scope.clients = undefined) };
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
  return attempt(frames, () => run(parse(args.slice(0, -1)), frames, bodyOf(args)));
}

/** Runs `body(deck, variant)` for each variant of a response set, each with a session of its own. */
function withVariants(set, ...args) {
  const frames = framesAbove(withVariants);
  return attempt(frames, async () => {
    const parsed = parse(args.slice(0, -1));
    const { cassettes, options } = parsed;
    if (!cassettes?.length) throw new TapedeckError('name the cassette that has the variants');
    const body = bodyOf(args);
    const failures = [];
    for (const variant of await variants(set, cassettes, options)) {
      const select = { ...options.select, [set]: variant };
      const name = `${scopeOf(parsed, frames).name}: ${variant}`;
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
      undefined,
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
  return attempt(frames, () => {
    const parsed = parse(args);
    const scope = { ...scopeOf(parsed, frames), isBlock: false };
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
function attempt(frames, work) {
  try {
    return Promise.resolve(seenFrom(frames, work));
  } catch (error) {
    return Promise.reject(error);
  }
}

module.exports = { withTapedeck, withVariants, startTapedeck };
