'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { afterEach, beforeEach, describe, it } = require('node:test');
const { startTapedeck, withTapedeck, TapedeckFailure } = require('node-tapedeck');

describe('hooks, from CommonJS', () => {
  let deck;
  beforeEach(async () => {
    deck = await startTapedeck('github', { folder: path.join(__dirname, 'cassettes') });
  });
  afterEach(() => deck.end());

  for (const number of [1, 2]) {
    it(`each test has a session of its own, ${number}`, async () => {
      const response = await fetch('https://api.github.example/users/octocat');
      assert.equal(response.status, 200);
      assert.equal((await deck.requests()).length, 1);
    });
  }
});

it('both kinds of modules have the same code', async () => {
  const module = await import('node-tapedeck');
  assert.equal(module.withTapedeck, withTapedeck);
  assert.equal(module.TapedeckFailure, TapedeckFailure);
});
