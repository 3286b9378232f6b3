// Run by suites.test.mjs: a test that several files define by this module.
import assert from 'node:assert/strict';
import test from 'node:test';
import { withTapedeck } from 'node-tapedeck';

const { ORIGIN, FOLDER: folder } = process.env;

export function contract(name) {
  test('finds it', () =>
    withTapedeck({ folder }, async () => {
      const text = await (await fetch(`${ORIGIN}/${name}`)).text();
      assert.match(text, new RegExp(`^own /${name} `));
    }));
}
