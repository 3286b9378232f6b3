'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { deckFor } = require('./deck.cjs');
const { TapedeckError } = require('./errors.cjs');

// Body files are named by `file:` and `encoded:` of a body. What only looks like one does no harm: if there is such a
// file beside the cassette, it is sent along.
const BODY_FILE = /\b(?:file|encoded)["']?\s*:\s*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"',}][^,}\n]*))/g;

/**
 * A cassette's file: the absolute `file`, whether it `exists`, the `folder` of cassettes, the `name` that a deck has for
 * it there, with the folders that it is in, and its `plain` name without these.
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
    } else if (deck.isOwn || !(await deck.cassettes()).includes(file.name)) {
      throw new TapedeckError(
        `there is no cassette ${file.file}; record it by running the test with TAPEDECK_MODE=once`,
      );
    }
  }
  return { cassettes: names, files: sent };
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
async function variants(set, cassettes, options = {}) {
  const files = [cassettes].flat().map((name) => cassetteFile(name, folderOf(options.folder)));
  const deck = await deckFor(options.binary);
  const { control } = deck;
  const session = { name: 'variants', ...(await resolveCassettes(files, deck, false)) };
  const { id } = await control.json('POST', '/v1/sessions', session);
  try {
    const find = async (search) =>
      (await control.json('GET', `/v1/sessions/${id}/sets?limit=1000&search=${encodeURIComponent(search)}`)).sets;
    const own = (await find(set)).find(({ name }) => name === set);
    if (own) return own.variants.filter(({ isBuiltIn }) => !isBuiltIn).map(({ name }) => name);
    const there = (await find('')).slice(0, 10).map(({ name }) => `"${name}"`);
    throw new TapedeckError(
      `there is no response set "${set}" in ${session.cassettes.join(', ')}; the first are: ${there.join(', ')}`,
    );
  } finally {
    await control.json('DELETE', `/v1/sessions/${id}`);
  }
}

module.exports = { cassetteFile, resolveCassettes, folderOf, variants };
