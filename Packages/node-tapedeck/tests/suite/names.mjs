// Run by suites.test.mjs: tests that name no cassette.
import assert from 'node:assert/strict';
import test, { beforeEach, describe, it } from 'node:test';
import { startTapedeck, withTapedeck } from 'node-tapedeck';

const { ORIGIN, FOLDER: folder } = process.env;
const names = ['plain', 'Plain', 'a b', 'a-b', 'a/b', '😀', '😁', `${'x'.repeat(300)}`, `${'x'.repeat(299)}y`, 'a.yaml'];

const get = async (path) => (await fetch(`${ORIGIN}${path}`)).text();

for (const [index, name] of names.entries()) {
  test(name, () =>
    withTapedeck({ folder }, async () => {
      assert.match(await get(`/${index}`), new RegExp(`^own /${index} `));
    }));
}

describe('a suite', () => {
  let deck;
  beforeEach(async (t) => {
    deck = await startTapedeck({ folder, test: t });
  });
  for (const name of ['plain', 'last']) {
    it(name, async () => {
      assert.match(await get(`/suite/${name}`), new RegExp(`^own /suite/${name} `));
      await deck.end();
    });
  }
});
