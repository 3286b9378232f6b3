import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startTapedeck, withTapedeck } from 'node-tapedeck';
import { get, GitHub } from './small-client.mjs';
import { folder } from './support.mjs';

// All of these are under way at once; each goes on when all have begun.
const COUNT = 10;
let begun = 0;
let goOn;
const all = new Promise((resolve) => (goOn = resolve));

async function together() {
  begun += 1;
  if (begun === COUNT) goOn();
  await all;
}

async function check(deck, number) {
  const isGone = number % 2 === 1;
  for (let round = 0; round < 5; round += 1) {
    assert.equal(await new GitHub().user('octocat'), isGone ? undefined : 'octocat');
    assert.equal((await get('https://api.github.example/users/octocat')).status, isGone ? 404 : 200);
    await pause(number % 3);
  }
  assert.equal((await deck.requests()).length, 10);
  deck.expect('GET /users/octocat', 10);
}

describe('ten tests at once', { concurrency: COUNT }, () => {
  for (let number = 0; number < COUNT; number += 1) {
    const options = { folder, select: { user: number % 2 === 1 ? 'gone' : 'found' } };
    it(`test ${number}`, async (t) => {
      if (number < 6) {
        await withTapedeck('github', options, async (deck) => {
          await together();
          await check(deck, number);
        });
        return;
      }
      const deck = await startTapedeck('github', options);
      await together();
      await check(deck, number);
      await deck.end();
    });
  }
});
