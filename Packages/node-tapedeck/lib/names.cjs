'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { createHash } = require('node:crypto');

/** Characters of a session's name: the deck's limit. */
const SESSION_LIMIT = 200;
/** Characters of a file's name without its ending, so that the names of files beside it are valid, too. */
const FILE_LIMIT = 100;
/** The endings of a cassette's files, which no name may seem to have. */
const ENDING = /\.(?:ya?ml|journal)$/;
/** Between the names of a suite and of a test, as in `t.fullName`. */
const SEPARATOR = ' > ';

/** The name of a session, from that of its test or of the user's choice: valid, and another for every other text. */
function sessionName(text) {
  // A variant of a cassette may be named after the session, and the name of one has neither of these.
  const name = text.replace(/\p{Cc}/gu, ' ').replace(/=/g, ':');
  if (name === text && name.length <= SESSION_LIMIT) return name;
  const mark = ` ${digest(text)}`;
  const room = SESSION_LIMIT - mark.length;
  // The end of a name tells more than its middle.
  return (name.length <= room ? name : `${name.slice(0, 60)}…${name.slice(61 - room)}`) + mark;
}

/** The name of a test's session: `tests/users.test.mjs > a suite > finds a user`. */
function testName({ file, name }) {
  return sessionName([relative(file), name].join(SEPARATOR));
}

/** The name of a test's own cassette in a folder: its file and its suites are folders. */
function ownCassette({ file, name }) {
  const folders = relative(file).split('/').map((part) => fileName(part));
  return [...folders, ...name.split(SEPARATOR).map(ownFile)].join('/');
}

function ownFile(name) {
  // A `-` stands for a space, so a name with a `-` of its own has a digest.
  return fileName(name, name.replace(/ /g, '-'), !name.includes('-'));
}

/**
 * A file's name for something, which nothing else has, also on a disk that ignores case. It is `readable` as far as a
 * file's name may be. Where that loses anything, has capital letters or is too long, a digest of `exact` follows; also
 * where `readable` is not `isPlain`, as another text might look like it.
 */
function fileName(exact, readable = exact, isPlain = true) {
  const slug = readable.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  const isWhole = isPlain && slug === readable && slug === slug.toLowerCase() && slug.length <= FILE_LIMIT && !ENDING.test(slug);
  if (isWhole && slug !== '') return slug;
  const mark = digest(exact);
  const start = slug.slice(0, FILE_LIMIT - mark.length - 1).replace(/[-.]+$/, '');
  return start === '' ? mark : `${start}-${mark}`;
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** A file's path from the folder of its package, wherever the tests are started. */
function relative(file) {
  let folder = path.dirname(file);
  while (!fs.existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) {
      folder = process.cwd();
      break;
    }
    folder = parent;
  }
  return path.relative(folder, file).split(path.sep).join('/');
}

module.exports = { sessionName, testName, ownCassette, fileName };
