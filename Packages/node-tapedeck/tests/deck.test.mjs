import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import test from 'node:test';
import { environment, folder, node, packageFolder } from './support.mjs';

const use = (then) => `import { withTapedeck } from 'node-tapedeck';
await withTapedeck('github', { folder: ${JSON.stringify(folder)} }, async (deck) => {
  const { status } = await fetch('https://api.github.example/users/octocat');
  ${then}
});`;

/** Starts a script that prints lines and returns its process and first line. */
async function start(script) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: packageFolder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve) => child.stdout.once('data', (bytes) => resolve(String(bytes).trim())));
  return { child, line };
}

test('a started deck ends with the process, even if that is killed', async () => {
  const { child, line } = await start(use('console.log(deck.proxyURL); await new Promise((go) => setTimeout(go, 60000));'));
  child.kill('SIGKILL');
  const { host } = new URL(line);
  // It answers until it has ended; then the connection is refused.
  const isThere = () => fetch(`http://${host}/`).then(() => true, () => false);
  while (await isThere()) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('a deck that runs already is used, and the process ends by itself', async () => {
  const script = use('console.log(status, process.env.TAPEDECK_URL === deck.controlURL);');
  const serve = spawn(
    process.env.TAPEDECK_BIN ?? 'tapedeck',
    ['serve', '--no-project', '--', process.execPath, '--input-type=module', '-e', script],
    { cwd: packageFolder, env: environment({ TAPEDECK_BIN: '/no/such/tapedeck' }), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  serve.stdout.on('data', (bytes) => (text += bytes));
  assert.equal(await new Promise((resolve) => serve.on('close', resolve)), 0);
  assert.equal(text, '200 true\n');
});

test('a wrong name at a deck that runs already names both', async () => {
  const script = `import { withTapedeck } from 'node-tapedeck';
await withTapedeck('githu', { folder: 'none' }, () => {}).catch((error) => console.log(error.message));`;
  const serve = spawn(
    process.env.TAPEDECK_BIN ?? 'tapedeck',
    ['serve', '--no-project', '--cassettes', folder, '--', process.execPath, '--input-type=module', '-e', script],
    { cwd: packageFolder, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  serve.stdout.on('data', (bytes) => (text += bytes));
  await new Promise((resolve) => serve.on('close', resolve));
  assert.match(text, /^there is no cassette none\/githu\.yaml, and the deck at http:\S+ has no "githu"; did you mean "github"\?/);
  assert.ok(!text.includes(folder), text);
});

test('a process with a deck of its own ends by itself', async () => {
  const { code, text } = await node(['--input-type=module', '-e', use('console.log(status)')
    .replace("'node-tapedeck'", JSON.stringify(new URL('../index.js', import.meta.url).href))]);
  assert.deepEqual({ code, text }, { code: 0, text: '200\n' });
});
