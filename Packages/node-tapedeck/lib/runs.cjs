'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { createHash } = require('node:crypto');
const { execFileSync } = require('node:child_process');
const { TapedeckError } = require('./errors.cjs');

/** The file that is written first. */
const BEGINNING = 'began';

/**
 * Returns true if a cassette was missing when a test of this run first used it, and notes that it was. A run is one
 * command, such as `node --test`, whatever its number of processes.
 *
 * @param {string} cassette its place
 * @param {() => Promise<boolean>} exists whether it is there now
 */
async function lacked(cassette, exists) {
  const folder = runFolder();
  const note = path.join(folder, createHash('sha256').update(cassette).digest('hex'));
  // The order matters: a process makes its note before it makes the cassette. So if another process of the run has made
  // the cassette that is found here, its note is found, too.
  if (await exists()) return fs.existsSync(note);
  fs.writeFileSync(note, '');
  return true;
}

/** The time at which this run first asked for a cassette to record (RFC 3339). What was recorded since is of this run. */
function runBegan() {
  return fs.statSync(path.join(runFolder(), BEGINNING)).mtime.toISOString();
}

/** The folder of the notes of this run. */
function runFolder() {
  const folder = path.join(notes(), runOf(runner()));
  fs.mkdirSync(folder, { recursive: true });
  try {
    fs.writeFileSync(path.join(folder, BEGINNING), '', { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  return folder;
}

/** The process that a run begins and ends with: the runner that has started this one, else this one. */
function runner() {
  const { NODE_TEST_CONTEXT, JEST_WORKER_ID, VITEST_POOL_ID } = process.env;
  const isWorker = NODE_TEST_CONTEXT?.startsWith('child') || ((JEST_WORKER_ID || VITEST_POOL_ID) && process.connected);
  return isWorker ? process.ppid : process.pid;
}

/** A name that no other process has, even if the system uses its number again. */
function runOf(pid) {
  return `${pid}-${began(pid)}`;
}

function began(pid) {
  if (fs.existsSync('/proc/self/stat')) {
    try {
      // proc(5): the 22nd field; the second one may have spaces.
      return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ')[19];
    } catch {
      return 'ended';
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).replace(/\W+/g, '-');
  } catch {
    return 'ended';
  }
}

/** This user's folder of notes, without those of runs that have ended. */
function notes() {
  const user = process.getuid?.() ?? 'user';
  const folder = path.join(os.tmpdir(), `node-tapedeck-runs-${user}`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== user)) {
    throw new TapedeckError(`${folder} belongs to somebody else; remove it, or set TMPDIR to a folder of your own`);
  }
  for (const name of fs.readdirSync(folder)) {
    const pid = Number(name.split('-')[0]);
    try {
      if (name !== runOf(pid)) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
    } catch {
      // Another process removes it, too.
    }
  }
  return folder;
}

module.exports = { lacked, runBegan };
