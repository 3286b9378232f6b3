import assert from 'node:assert/strict';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { environment, node } from './support.mjs';

const file = (name) => fileURLToPath(new URL(`failing/${name}`, import.meta.url));

test('an unmatched request fails its test alone, with its near miss and without its secret', async () => {
  const { code, text } = await node(['--test', '--test-reporter=tap', file('one-of-three.mjs')]);
  assert.equal(code, 1, text);
  assert.match(text, /^ *ok 1 - first/m);
  assert.match(text, /^ *not ok 2 - second/m);
  assert.match(text, /^ *ok 3 - third/m);
  assert.match(text, /nothing on tape answers GET https:\/\/api\.github\.example\/users\/octocatt\?/);
  assert.match(text, /path is \/users\/octocatt, the tape has \/users\/octocat$/m);
  assert.match(text, /session .* > second, replay, seed \d+\n +the requests were:\n +1 +GET .* → 501 unmatched/);
  assert.match(text, /the test itself threw Error: no user at /);
  assert.match(text, /access_token=\{\{secret\.access_token\}\}/);
  assert.ok(!text.includes('3Yq8fLw2Zp0aTn5d'), text);
});

test('without a deck the text says what to set', async () => {
  const env = environment({ TAPEDECK_BIN: '/no/such/tapedeck' });
  const { code, text } = await node(['--test', '--test-reporter=tap', file('one-of-three.mjs')], env);
  assert.equal(code, 1);
  assert.match(text, /no deck: there is no program \/no\/such\/tapedeck; name one with TAPEDECK_BIN/);
});
