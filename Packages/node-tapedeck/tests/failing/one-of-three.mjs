// Run by failures.test.mjs: the second test fails.
import test from 'node:test';
import { withTapedeck } from 'node-tapedeck';
import { GitHub } from '../small-client.mjs';
import { folder } from '../support.mjs';

const user = (login) => () => withTapedeck('github', { folder }, () => new GitHub().user(login).catch(() => {}));

test('first', user('octocat'));
test('second', { concurrency: true }, () =>
  withTapedeck('github', { folder }, async () => {
    await fetch('https://api.github.example/users/octocatt?access_token=3Yq8fLw2Zp0aTn5d').then((r) => r.text());
    throw new Error('no user at https://api.github.example/users/octocatt?access_token=3Yq8fLw2Zp0aTn5d');
  }));
test('third', user('octocat'));
