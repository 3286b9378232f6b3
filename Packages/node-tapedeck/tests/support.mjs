import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const folder = fileURLToPath(new URL('cassettes', import.meta.url));
export const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** A folder of the test's own, removed after it. */
export function temporaryFolder(t) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'node-tapedeck-'));
  t.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A certificate for localhost that signs itself: its file, and what a server needs. */
export function certificate(folder) {
  const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certFile],
  ], { stdio: 'ignore' });
  return { certFile, key: fs.readFileSync(keyFile), cert: fs.readFileSync(certFile) };
}

/** A server on a free port of localhost that answers with its name, the path and a number that counts. */
export async function origin(name, tls) {
  let count = 0;
  const answer = (request, response) => {
    if (request.url === '/me') {
      // Of who asks by a header, which cassettes do not compare.
      response.end(request.headers['x-user']);
      return;
    }
    response.setHeader('content-type', 'text/plain');
    response.end(`${name} ${request.url} ${(count += 1)}`);
  };
  const server = tls ? https.createServer(tls, answer) : http.createServer(answer);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://localhost:${server.address().port}`,
    count: () => count,
    stop: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}

/** The environment for a process under test: without what this one was told of recording, CI, its own tests and proxies. */
export function environment(changes = {}) {
  const own = { ...process.env };
  for (const name of ['CI', 'TAPEDECK_MODE', 'TAPEDECK_URL', 'NODE_TEST_CONTEXT', 'NODE_OPTIONS']) delete own[name];
  return { ...own, ...changes };
}

/** Runs Node to its end; the exit code and what it wrote. */
export function node(args, env = environment()) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (bytes) => (text += bytes));
    child.stderr.on('data', (bytes) => (text += bytes));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, text }));
  });
}
