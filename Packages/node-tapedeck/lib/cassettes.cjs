'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { deckFor } = require('./deck.cjs');
const { TapedeckError, framesAbove, seenFrom } = require('./errors.cjs');
const { distance, isCI } = require('./modes.cjs');

// Body files are named by `file:` and `encoded:` of a body. What only looks like one does no harm: if there is such a
// file beside the cassette, it is sent along.
const BODY_FILE = /\b(?:file|encoded)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"',}][^,}\n]*))/g;

/**
 * A cassette's file: the absolute `file`, whether it `exists`, the `folder` of cassettes, the `name` that a deck has for
 * it there, with the folders that it is in, and its `plain` name without these. `isNamed` is false for one that is named
 * after its test.
 */
function cassetteFile(name, folder) {
  const whole = path.resolve(folder, name);
  const candidates = /\.ya?ml$/.test(whole) ? [whole] : [`${whole}.yaml`, `${whole}.yml`];
  const existing = candidates.find((candidate) => fs.existsSync(candidate));
  const file = existing ?? candidates[0];
  const isInside = file.startsWith(folder + path.sep);
  const own = isInside ? folder : path.dirname(file);
  const withoutEnding = (text) => text.replace(/\.ya?ml$/, '');
  return {
    name: withoutEnding(path.relative(own, file).split(path.sep).join('/')),
    plain: withoutEnding(path.basename(file)),
    folder: own,
    file,
    exists: existing !== undefined,
    isNamed: true,
  };
}

/**
 * What a session is told about its cassettes: their names, and the files to send along. A deck is sent what it plays,
 * so it needs no access to the disk of the tests. What it records, the first, it has in its own folder.
 */
async function resolveCassettes(files, deck, isRecording) {
  const names = [];
  const sent = {};
  for (const [index, file] of files.entries()) {
    const isRecorded = isRecording && index === 0;
    // A file that is sent is in no folder, as its body files are beside it.
    const name = file.exists && !isRecorded ? file.plain : file.name;
    if (names.includes(name)) {
      throw new TapedeckError(`two cassettes are called "${name}"; give them names of their own`);
    }
    names.push(name);
    if (isRecorded) continue;
    if (file.exists) {
      const bytes = fs.readFileSync(file.file);
      sent[`${name}.yaml`] = sendable(bytes);
      Object.assign(sent, bodyFiles(bytes.toString(), path.dirname(file.file)));
    } else {
      const known = deck.isOwn ? [] : await deck.cassettes();
      if (!known.includes(file.name)) throw new TapedeckError(missing(file, deck, known));
    }
  }
  return { cassettes: names, files: sent };
}

function missing(file, deck, known) {
  let text = `there is no cassette ${shown(file.file)}`;
  if (!deck.isOwn) text += `, and the deck at ${deck.control.url} has no "${file.name}"`;
  const other = file.file.replace(/\.ya?ml$/, '');
  if (fs.statSync(other, { throwIfNoEntry: false })?.isFile()) {
    return `${text}; ${shown(other)} is a file of another tool: tapedeck import makes a cassette of it`;
  }
  const remedy = isCI() ? 'record it on your own machine and commit it' : 'record it by running the test with TAPEDECK_MODE=once';
  const near = file.isNamed ? nearest(file, known) : undefined;
  return near ? `${text}; did you mean "${near}"? If not, ${remedy}` : `${text}; ${remedy}`;
}

/** The cassette in the same folder, or of the deck, whose name is most like that of a missing one. */
function nearest({ file, folder, name }, known) {
  const beside = path.dirname(file);
  const files = fs.existsSync(beside) ? fs.readdirSync(beside).filter((other) => /\.ya?ml$/.test(other)) : [];
  const names = files.map((other) => cassetteFile(path.join(beside, other), folder).name);
  const ranked = [...names, ...known].map((other) => ({ other, distance: distance(name, other) }));
  ranked.sort((one, other) => one.distance - other.distance);
  return ranked[0]?.distance <= name.length / 3 ? ranked[0].other : undefined;
}

/** A path from the working directory, where it is below that. */
function shown(place) {
  const folder = process.cwd() + path.sep;
  return place.startsWith(folder) ? place.slice(folder.length) : place;
}

function sendable(bytes) {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
}

function bodyFiles(cassette, folder) {
  const files = {};
  for (const match of cassette.matchAll(BODY_FILE)) {
    const parts = (match[1] ?? match[2] ?? match[3]).trim().split('/').filter((part) => part !== '.');
    // The deck reports missing files and paths that lead elsewhere: it knows the line.
    if (parts[0] === '' || parts.includes('..')) continue;
    const file = path.join(folder, ...parts);
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) files[parts.join('/')] = sendable(fs.readFileSync(file));
  }
  return files;
}

/** The folder of the options, absolute. */
function folderOf(folder) {
  const given = folder ?? (process.env.TAPEDECK_CASSETTES || 'cassettes');
  return path.resolve(given instanceof URL || /^file:/.test(given) ? require('node:url').fileURLToPath(given) : given);
}

/** The variants that a response set has in cassettes, in their order; built-in ones are not among them. */
function variants(set, cassettes, options = {}) {
  return seenFrom(framesAbove(variants), () => find(set, cassettes, options));
}

async function find(set, cassettes, options) {
  const files = [cassettes].flat().map((name) => cassetteFile(name, folderOf(options.folder)));
  const deck = await deckFor(options.binary);
  const { control } = deck;
  // Every set has the variant `offline`. If there is no such set, the deck refuses the session and names the sets.
  const session = { name: 'variants', ...(await resolveCassettes(files, deck, false)), selections: { [set]: 'offline' } };
  const { id } = await control.json('POST', '/v1/sessions', session);
  try {
    const { sets } = await control.json('GET', `/v1/sessions/${id}/sets?limit=1000&search=${encodeURIComponent(set)}`);
    return sets.find(({ name }) => name === set).variants.filter(({ isBuiltIn }) => !isBuiltIn).map(({ name }) => name);
  } finally {
    await control.json('DELETE', `/v1/sessions/${id}`);
  }
}

module.exports = { cassetteFile, resolveCassettes, folderOf, shown, variants };
