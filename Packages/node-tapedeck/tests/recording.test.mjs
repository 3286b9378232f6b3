import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { certificate, environment, node, origin, temporaryFolder } from './support.mjs';

const recorded = fileURLToPath(new URL('recorded.mjs', import.meta.url));

test('HTTP and HTTPS are recorded, and replayed with the origins gone', async (t) => {
  const temporary = temporaryFolder(t);
  const folder = path.join(temporary, 'cassettes');
  const { certFile, key, cert } = certificate(temporary);
  const [plain, secure] = [await origin('plain'), await origin('secure', { key, cert })];
  t.after(() => Promise.all([plain.stop(), secure.stop()]));
  const env = (changes) => environment({ TAPEDECK_UPSTREAM_CA: certFile, ...changes });
  const run = async (changes, mode = '') => {
    const { code, text } = await node([recorded, folder, plain.url, secure.url, mode], env(changes));
    // Without what is said of the recording.
    return { code, text: text.replace(/^tapedeck: .*\n/gm, '') };
  };
  const expected = 'plain /by-http 1\nsecure /by-https 1\nplain /by-fetch 2\nsecure /by-fetch 2\n';

  const refused = await run({ CI: 'true', TAPEDECK_MODE: 'all' });
  assert.match(refused.text, /nothing is recorded where CI is set/);
  assert.deepEqual(await run({ TAPEDECK_MODE: 'all' }), { code: 0, text: expected });
  const tape = fs.readFileSync(path.join(folder, 'origins.yaml'), 'utf8');
  assert.match(tape, /https:\/\/localhost:\d+\/by-https/);
  await plain.stop();
  await secure.stop();
  assert.deepEqual(await run(), { code: 0, text: expected });
  // Nothing is missing, so nothing is asked for.
  assert.deepEqual(await run({}, 'new'), { code: 0, text: expected });
  assert.equal(fs.readFileSync(path.join(folder, 'origins.yaml'), 'utf8'), tape);
  assert.deepEqual([plain.count(), secure.count()], [2, 2]);
});
