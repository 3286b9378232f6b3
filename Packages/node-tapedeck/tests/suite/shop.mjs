// Run by suites.test.mjs: tests that share a cassette with those of the other files.
import assert from 'node:assert/strict';
import { withTapedeck } from 'node-tapedeck';

const { ORIGIN, FOLDER } = process.env;

/** The body of a test that is told who it is. */
export const asks = (user) => () =>
  withTapedeck('shop', { folder: FOLDER }, async (deck) => {
    const get = async (path) => (await fetch(`${ORIGIN}${path}`, { headers: { 'x-user': user } })).text();
    assert.equal(await get('/me'), user);
    assert.match(await get(`/users/${user}`), new RegExp(`^shop /users/${user}`));
    deck.expect(`GET /users/${user}`, 1);
  });

export const hasStock = () =>
  withTapedeck('shop', { folder: FOLDER }, async () => {
    assert.match(await (await fetch(`${ORIGIN}/stock`)).text(), /^shop \/stock/);
  });

export const isSoldOut = () => {
  const select = { [`GET ${new URL(ORIGIN).host}/stock`]: 'sold out' };
  return withTapedeck('shop', { folder: FOLDER, select, mode: 'replay' }, async () => {
    assert.equal(await (await fetch(`${ORIGIN}/stock`)).text(), 'sold out');
  });
};
