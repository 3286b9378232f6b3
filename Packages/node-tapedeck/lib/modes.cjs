'use strict';

const { TapedeckError } = require('./errors.cjs');

const MODES = ['replay', 'once', 'new', 'all'];

/** What each mode is to a deck; `once` is that of a cassette which is missing. */
const DECK_MODES = { replay: 'replay', once: 'record', new: 'append', all: 'record' };

/** Words of other tools and of the deck, and the mode that means the same. */
const MEANT = { none: 'replay', play: 'replay', new_episodes: 'new', append: 'new', record: 'all', rewrite: 'all' };

/** The mode of the options, else of the environment, else `replay`. */
function modeOf(options) {
  const isOption = options.mode !== undefined;
  const word = isOption ? options.mode : process.env.TAPEDECK_MODE || 'replay';
  if (MODES.includes(word)) return word;
  const near = nearest(String(word).trim().toLowerCase());
  throw new TapedeckError(
    `${isOption ? 'the option `mode`' : 'TAPEDECK_MODE'} is "${word}"; it must be one of ${MODES.join(', ')}`
      + (near ? `; did you mean "${near}"?` : ''),
  );
}

function nearest(word) {
  return MEANT[word] ?? MODES.find((mode) => distance(word, mode) <= Math.floor(mode.length / 2));
}

/** The number of letters to insert, remove or replace (Levenshtein). */
function distance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length];
}

function isCI() {
  return !['', '0', 'false'].includes((process.env.CI ?? '').toLowerCase());
}

module.exports = { modeOf, isCI, distance, DECK_MODES };
