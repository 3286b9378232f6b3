import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { withTapedeck } from 'node-tapedeck';
import { certificate, environment, node, origin, temporaryFolder } from './support.mjs';

// Nothing is recorded where it is set.
delete process.env.CI;

const file = (name) => fileURLToPath(new URL(`suite/${name}.mjs`, import.meta.url));

/** A suite in files that share a cassette, and the origin that it is recorded from. */
async function suite(t) {
  const folder = path.join(temporaryFolder(t), 'cassettes');
  const shop = await origin('shop');
  t.after(() => shop.stop());
  const env = { FOLDER: folder, ORIGIN: shop.url };
  const run = async (changes, ...args) => {
    const files = args.some((arg) => arg.endsWith('.mjs')) ? [] : [file('ada'), file('bob')];
    const { code, text } = await node(['--test', '--test-reporter=tap', ...args, ...files], environment({ ...env, ...changes }));
    assert.equal(code, 0, text);
    return text;
  };
  return { cassette: path.join(folder, 'shop.yaml'), folder, shop, env, run };
}

test('tests that share a cassette play what each of them recorded', async (t) => {
  const { cassette, folder, shop, env, run } = await suite(t);
  const all = { TAPEDECK_MODE: 'all' };
  await run(all, '--test-concurrency=1');
  await run({});

  // A variant of somebody's own.
  const set = `GET ${new URL(shop.url).host}/stock`;
  const copy = ['variant', 'copy', cassette, set, 'recorded', 'sold out'];
  execFileSync(process.env.TAPEDECK_BIN ?? 'tapedeck', copy, { env: environment() });
  const answer = '        takes: [{ status: 200, body: { text: sold out } }]\n';
  const tape = fs.readFileSync(cassette, 'utf8');
  const edited = tape.replace(/( {6}- name: sold out\n)(?: {8}.*\n)+/, `$1${answer}`);
  assert.notEqual(edited, tape);
  fs.writeFileSync(cassette, edited);
  env.HAS_VARIANT = 'true';
  await run({});

  for (const args of [['--test-concurrency=1'], [file('bob')], ['--test-concurrency=2']]) {
    await run(all, ...args);
    assert.match(fs.readFileSync(cassette, 'utf8'), /sold out/, folder);
    await run({});
  }
  await shop.stop();
  await run({}, '--test-concurrency=1');
  await run({}, '--test-concurrency=2');
});

for (const concurrency of [1, 2]) {
  test(`once records in all files what was missing when the run began, ${concurrency} at a time`, async (t) => {
    const { cassette, shop, run } = await suite(t);
    const once = { TAPEDECK_MODE: 'once' };
    const text = await run(once, `--test-concurrency=${concurrency}`);
    const tape = fs.readFileSync(cassette, 'utf8');
    for (const asked of ['/me', '/users/ada', '/users/bob', '/stock']) assert.ok(tape.includes(asked), tape);
    assert.match(text, /tapedeck: .*shop\.yaml: /);
    await shop.stop();
    assert.doesNotMatch(await run(once, `--test-concurrency=${concurrency}`), /tapedeck: .*shop\.yaml: /);
    assert.equal(fs.readFileSync(cassette, 'utf8'), tape);
  });
}

test('every test that names no cassette has one of its own', async (t) => {
  const folder = path.join(temporaryFolder(t), 'cassettes');
  const own = await origin('own');
  const run = async (mode) => {
    const env = environment({ FOLDER: folder, ORIGIN: own.url, TAPEDECK_MODE: mode });
    const { code, text } = await node(['--test', '--test-reporter=tap', file('names')], env);
    assert.equal(code, 0, text);
  };
  await run('once');
  const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.yaml'));
  assert.equal(new Set(files.map((name) => name.toLowerCase())).size, 12, files.join('\n'));
  // In repositories of users: these never change.
  for (const name of ['plain', 'a-b', 'a-suite/plain', 'a-suite/last', 'Plain-8b854ade', 'f0443a34']) {
    assert.ok(files.includes(`tests/suite/names.mjs/${name}.yaml`), `${name} in ${files.join('\n')}`);
  }
  await own.stop();
  await run('replay');
});

test('a test that a helper module defines is of the file that runs it', async (t) => {
  const folder = path.join(temporaryFolder(t), 'cassettes');
  const own = await origin('own');
  const run = async (mode) => {
    const env = environment({ FOLDER: folder, ORIGIN: own.url, TAPEDECK_MODE: mode });
    const { code, text } = await node(['--test', '--test-reporter=tap', file('contract-one'), file('contract-two')], env);
    assert.equal(code, 0, text);
  };
  await run('once');
  const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.yaml')).sort();
  assert.deepEqual(files, ['one', 'two'].map((name) => `tests/suite/contract-${name}.mjs/finds-it.yaml`));
  await own.stop();
  await run('replay');
});

test('two tests of one name do not share a cassette without a word', async (t) => {
  const folder = temporaryFolder(t);
  const name = 'twice';
  const body = () => withTapedeck({ folder, mode: 'new' }, () => {});
  const [first, second] = [await outcome(t, name, body), await outcome(t, name, body)];
  assert.equal(first, undefined);
  assert.match(second.message, /two tests are called ".*twice" and would share the cassette/);
});

/** What a subtest throws. */
async function outcome(t, name, body) {
  let thrown;
  await t.test(name, () => body().catch((error) => (thrown = error)));
  return thrown;
}

test('a recording that failed fails its test, also the next time', async (t) => {
  const folder = temporaryFolder(t);
  const gone = await origin('gone');
  await gone.stop();
  for (const time of [1, 2]) {
    const run = withTapedeck('gone', { folder, mode: 'once' }, () => fetch(gone.url).catch(() => {}));
    await assert.rejects(run, /localhost:\d+.*refused/s, `time ${time}`);
    assert.ok(!fs.existsSync(path.join(folder, 'gone.yaml')));
  }
});

test('a session says which test it is, and whether it records', async (t) => {
  const folder = temporaryFolder(t);
  const inner = `case=${'1'.repeat(300)}`;
  await withTapedeck('github', { folder: fileURLToPath(new URL('cassettes', import.meta.url)) }, (deck) => {
    assert.equal(deck.name, `tests/suites.test.mjs > ${t.name}`);
    assert.deepEqual([deck.mode, deck.isRecording], ['replay', false]);
  });
  await t.test(inner, () =>
    withTapedeck('new', { folder, mode: 'once' }, (deck) => {
      assert.ok(deck.name.length <= 200 && !deck.name.includes('='), deck.name);
      assert.match(deck.name, /^tests\/suites\.test\.mjs > .*1 [0-9a-f]{8}$/);
      assert.deepEqual([deck.mode, deck.isRecording], ['once', true]);
    }));
});
