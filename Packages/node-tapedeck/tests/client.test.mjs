import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import test from 'node:test';
import { inspect } from 'node:util';
import { startTapedeck, TapedeckError, TapedeckFailure, variants, withTapedeck, withVariants } from 'node-tapedeck';
import { get, GitHub } from './small-client.mjs';
import { folder, node } from './support.mjs';

const github = new GitHub();

test('a cassette answers fetch', () =>
  withTapedeck('github', { folder }, async (deck) => {
    assert.equal(await github.user('octocat'), 'octocat');
    deck.expect('GET /users/octocat', 1);
  }));

test('an exchange says which values of its answer are made up', () =>
  withTapedeck('github', { folder }, async (deck) => {
    const answer = await fetch('https://api.github.example/token', { method: 'POST' });
    assert.match((await answer.json()).access_token, /^gho_/);
    const [exchange] = await deck.requests();
    assert.match(exchange.note, /^made up: access_token \(gho_/);
    assert.match(String(exchange), /→ 200 "token", granted \(made up: access_token /);
  }));

for (const variant of await variants('user', 'github', { folder })) {
  test(`a user, ${variant}`, () =>
    withTapedeck('github', { folder, select: { user: variant } }, async () => {
      const user = github.user('octocat');
      if (variant === 'broken') await assert.rejects(user);
      else assert.equal(await user, { found: 'octocat', gone: undefined }[variant]);
    }));
}

test('withVariants runs a body for each variant and names those that fail', async () => {
  const seen = [];
  const run = withVariants('login', 'github', { folder }, async (deck, variant) => {
    seen.push(variant);
    assert.equal(await github.login('ada', 'x'), true);
  });
  await assert.rejects(run, (error) => {
    assert.match(error.message, /^variants of "login" that fail: "refused"/);
    return error.cause instanceof assert.AssertionError;
  });
  assert.deepEqual(seen, ['accepted', 'refused']);
});

test('variants of a set that is not there names those that are', () =>
  assert.rejects(variants('usr', 'github', { folder }), /there is no response set "usr"; did you mean "user"\?/));

test('faults reach fetch and https', () =>
  withTapedeck('github', { folder, select: { user: 'offline' } }, async (deck) => {
    await assert.rejects(github.user('octocat'), (error) => error.cause.code === 'ECONNRESET');
    await assert.rejects(get('https://api.github.example/users/octocat'), { code: 'ECONNRESET' });
    await deck.stub('GET /users/octocat', { fault: 'emptyResponse' });
    await assert.rejects(github.user('octocat'), (error) => error.cause.code === 'UND_ERR_SOCKET');
  }));

test('profiles, selections and state', () =>
  withTapedeck('github', { folder, profiles: 'nobody', state: { user: 'ada' } }, async (deck) => {
    assert.equal(await github.user('octocat'), undefined);
    await deck.revert('nobody');
    assert.equal(await github.user('octocat'), 'octocat');
    await deck.select('user', 'gone');
    assert.equal(await github.user('octocat'), undefined);
    await deck.apply('offline', { only: ['login'] });
    await assert.rejects(github.login('ada', 'x'));
    await deck.setState({ user: null, cart: '1' });
    assert.deepEqual(await deck.state(), { cart: '1' });
    await deck.reset();
    assert.deepEqual(await deck.state(), { user: 'ada' });
    assert.equal(await github.user('octocat'), 'octocat');
    await assert.rejects(deck.select('user', 'gon'), /did you mean "gone"/);
  }));

test('http and https, whatever their agent', () =>
  withTapedeck('github', { folder }, async (deck) => {
    class Own extends http.Agent {
      createConnection() {
        throw new Error('past the deck');
      }
    }
    const agents = [undefined, false, new http.Agent({ keepAlive: true }), new Own()];
    for (const agent of agents) assert.deepEqual(await github.photo({ agent }), { status: 200, text: 'a photo\n' });
    const own = new https.Agent({ keepAlive: true, ca: 'none' });
    for (const agent of [undefined, false, own]) {
      assert.equal((await get('https://api.github.example/users/octocat', { agent })).status, 200);
    }
    deck.expect({ url: 'http://api.github.example/photo' }, 4);
    deck.expect('/users/octocat', 3);
  }));

test('stubs go before the cassettes', () =>
  withTapedeck('github', { folder }, async (deck) => {
    await deck.stub('GET /users/{login}', { json: { login: 'somebody' } });
    assert.equal(await github.user('octocat'), 'somebody');
    await deck.stub('GET /users/{login}', { status: 404 });
    assert.equal(await github.user('octocat'), undefined);
  }));

test('requests have what was sent, and print no secret', () =>
  withTapedeck('github', { folder }, async (deck) => {
    const secret = 'tR7qv1zY8mKp3xWd';
    await github.login('ada', secret);
    const [request] = await deck.waitFor('POST /login');
    assert.equal(request.request.json().password, secret);
    assert.equal(request.status, 204);
    assert.deepEqual(request.played.variant, 'accepted');
    for (const text of [`${request}`, inspect(request, { depth: 9 }), JSON.stringify(request), inspect(request.request)]) {
      assert.ok(!text.includes(secret), text);
    }
  }));

test('expectations are checked at the end', async () => {
  const run = withTapedeck('github', { folder }, async (deck) => {
    deck.expect('POST /login', { never: true });
    deck.expect('GET /users/octocat', { atMost: 1 });
    deck.expectInOrder(['GET /users/octocat', 'POST /login']);
    deck.expectInOrder(['POST /login', 'GET /users/octocat']);
    await deck.unimplemented('GET /runs', 'nobody asks for runs');
    await github.user('octocat');
    await github.login('ada', 'x');
    await fetch('https://api.github.example/runs');
    await assert.rejects(deck.verify(), TapedeckFailure);
    await assert.rejects(deck.waitFor('/missing', { timeout: 50 }), /waited 50 ms for 1 request to match \/missing/);
  });
  await assert.rejects(run, (error) => {
    assert.equal(error.issues.length, 3, error.message);
    assert.match(error.issues[0], /^expected no request to match POST \/login, and saw 1 \(.*client\.test\.mjs:\d+:\d+\)/);
    assert.match(error.issues[1], /no request matches GET \/users\/octocat after request 2/);
    assert.match(error.issues[2], /^GET \/runs is unimplemented: nobody asks for runs, and 1 request came/);
    assert.match(error.stack, /\n +at .*client\.test\.mjs/);
    return true;
  });
});

test('unused response sets fail a test that requires their use', () =>
  assert.rejects(
    withTapedeck('github', { folder, requireUse: true }, () => github.user('octocat')),
    /no request used the response set "login"/,
  ));

test('what the body returns and throws is what the call returns and throws', async () => {
  assert.equal(await withTapedeck([], () => 7), 7);
  const error = new Error('its own');
  await assert.rejects(withTapedeck([], () => Promise.reject(error)), (thrown) => thrown === error);
});

test('unmatched requests can be allowed', () =>
  withTapedeck([], { allowUnmatched: true }, async (deck) => {
    assert.equal((await fetch('https://api.github.example/nothing')).status, 501);
    assert.match((await deck.requests())[0].mismatch, /./);
  }));

test('outside a session requests take their own way, and those of a session that is over fail', async (t) => {
  const server = http.createServer((_, response) => response.end('direct'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${server.address().port}/`;
  let late;
  await withTapedeck([], async (deck) => {
    assert.equal((await get(url)).text, 'direct');
    assert.equal((await deck.requests()).length, 1);
    let go;
    const gate = new Promise((resolve) => (go = resolve));
    late = { go, outcome: gate.then(() => Promise.allSettled([get(url), fetch(url)])) };
  });
  late.go();
  for (const { reason } of await late.outcome) {
    const error = reason instanceof TapedeckError ? reason : reason.cause;
    assert.match(error.message, /is over, and so are its requests/);
  }
  assert.equal((await get(url)).text, 'direct');
  assert.equal(await (await fetch(url)).text(), 'direct');
});

test('base URLs and child processes', () =>
  withTapedeck('github', { folder }, async (deck) => {
    assert.equal(await new GitHub(deck.baseURL('https://api.github.example/')).user('octocat'), 'octocat');
    const script = "fetch('https://api.github.example/users/octocat').then(r => r.json()).then(u => console.log(u.login))";
    assert.deepEqual(await node(['-e', script], deck.environment), { code: 0, text: 'octocat\n' });
    deck.expect('GET https://api.github.example/users/octocat', 2);
  }));

test('wrong options say what is right', async () => {
  const never = () => assert.fail('it must not run');
  await assert.rejects(withTapedeck('githu', { folder }, never), /there is no cassette .*githu\.yaml; did you mean "github"\? If not, record it/);
  await assert.rejects(withTapedeck('other', { folder }, never), /there is no cassette .*other\.yaml; record it/);
  await assert.rejects(withTapedeck('github', { foldr: folder }, never), /no option `foldr`; there are: folder/);
  await assert.rejects(
    withTapedeck({ mode: 'al' }, never),
    /the option `mode` is "al"; it must be one of replay, once, new, all; did you mean "all"\?/,
  );
  await assert.rejects(withTapedeck({ mode: 'record' }, never), /did you mean "all"\?/);
  await assert.rejects(withTapedeck({ mode: 'append' }, never), /did you mean "new"\?/);
  await assert.rejects(withTapedeck('github', { folder, select: { user: 'gon' } }, never), /did you mean "gone"/);
  await assert.rejects(withTapedeck([], { binary: '/no/such/program' }, never), /no deck: there is no program \/no\/such\/program; name one/);
  await assert.rejects(withTapedeck('github', { folder }), /the last argument is the function/);
});

test('a wrong name shows the line of the test', async () => {
  const line = /^TapedeckError: .*\n +at .*client\.test\.mjs:\d+/;
  const has = (error) => line.test(error.stack) && !error.stack.includes('control.cjs');
  await assert.rejects(withTapedeck('github', { folder, select: { user: 'gon' } }, () => {}), has);
  await assert.rejects(variants('usr', 'github', { folder }), has);
  await withTapedeck('github', { folder }, async (deck) => {
    await assert.rejects(deck.select('user', 'gon'), has);
    await assert.rejects(deck.stub('GET /users', { fault: 'reset' }), has);
    assert.throws(() => deck.expect('GET /a b'), has);
  });
});

test('a session without a cassette says so', async () => {
  const none = /; the test plays no cassette: name one, or leave out the `\[\]`, and record it with TAPEDECK_MODE=once$/;
  const run = withTapedeck([], async (deck) => {
    await assert.rejects(deck.select('user', 'gone'), none);
    await assert.rejects(deck.apply('nobody'), none);
    await fetch('https://api.github.example/users/octocat');
  });
  await assert.rejects(run, /\n {2}the test plays no cassette: name one, or leave out the `\[\]`, and record it with /);
});

test('a body may end its session itself', () =>
  withTapedeck('github', { folder }, async (deck) => {
    deck.expect('POST /login');
    await assert.rejects(deck.end(), /expected at least 1 request to match POST \/login, and saw 0/);
  }));

test('startTapedeck in the body of a test ends with it', async (t) => {
  const deck = await startTapedeck('github', { folder, test: t });
  assert.equal(deck.name, `tests/client.test.mjs > ${t.name}`);
  assert.equal(await github.user('octocat'), 'octocat');
});
