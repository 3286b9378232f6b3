import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { withTapedeck } from 'node-tapedeck';
import { environment, folder, node, origin, packageFolder, temporaryFolder } from './support.mjs';

const preload = path.join(packageFolder, 'lib', 'preload.cjs');

/** A program of somebody's own, who knows of no proxy. */
const program = `
const https = require('https'), http = require('http');
const get = (url, options) => new Promise((resolve) => {
  const request = (url.startsWith('https') ? https : http).get(url, options, (response) => {
    response.resume().on('end', () => resolve(response.statusCode));
  });
  request.on('error', (error) => resolve(error.message));
});
(async () => {
  const user = 'https://api.github.example/users/octocat';
  console.log((await fetch(user)).status);
  console.log(await get(user, {}), await get(user, { agent: false }), await get(user, { agent: new https.Agent() }));
  console.log(await get('http://api.github.example/photo', {}), await get(process.argv[1], {}));
})();`;

test('a program without a setting of its own goes through the proxy of its environment', async (t) => {
  const temporary = temporaryFolder(t);
  const server = await origin('direct');
  t.after(() => server.stop());
  await withTapedeck('github', { folder }, async (deck) => {
    const authority = path.join(temporary, 'authority.pem');
    fs.writeFileSync(authority, deck.certificateAuthority);
    const env = environment({
      NODE_OPTIONS: `--require=${preload}`,
      HTTP_PROXY: deck.proxyURL,
      HTTPS_PROXY: deck.proxyURL,
      NO_PROXY: 'localhost',
      NODE_EXTRA_CA_CERTS: authority,
    });
    assert.deepEqual(await node(['-e', program, server.url], env), { code: 0, text: '200\n200 200 200\n200 200\n' });
    deck.expect('https://api.github.example/users/octocat', 4);
    deck.expect('http://api.github.example/photo', 1);
    assert.equal((await deck.requests()).length, 5);
    assert.equal(server.count(), 1);
  });
});

test('a library that reads the variables and asks the proxy itself, as axios does, is let through', async () => {
  const script = `
    const { hostname: host, port, username, password } = new URL(process.env.HTTP_PROXY);
    const credentials = Buffer.from(decodeURIComponent(username) + ':' + decodeURIComponent(password));
    const headers = { 'Proxy-Authorization': 'Basic ' + credentials.toString('base64') };
    require('http').get({ host, port, headers, path: 'http://api.github.example/photo' }, (response) => {
      console.log(response.resume().statusCode);
    });`;
  await withTapedeck('github', { folder }, async (deck) => {
    const env = environment({ NODE_OPTIONS: `--require=${preload}`, HTTP_PROXY: deck.proxyURL });
    assert.deepEqual(await node(['-e', script], env), { code: 0, text: '200\n' });
    deck.expect('http://api.github.example/photo', 1);
  });
});

test('without a proxy, or with one that is gone', async () => {
  const script = "require('http').get('http://api.github.example/').on('error', (error) => console.log(error.message))";
  const run = (changes) => node(['-e', script], environment({ NODE_OPTIONS: `--require=${preload}`, ...changes }));
  assert.match((await run({ http_proxy: '', HTTP_PROXY: '' })).text, /ENOTFOUND|EAI_AGAIN/);
  assert.match((await run({ http_proxy: 'http://127.0.0.1:1' })).text, /ECONNREFUSED 127\.0\.0\.1:1/);
});
