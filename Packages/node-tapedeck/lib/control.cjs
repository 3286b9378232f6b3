'use strict';

const http = require('node:http');
const { getSystemErrorMap } = require('node:util');
const { TapedeckError, ControlError } = require('./errors.cjs');
const { DIRECT } = require('./routing.cjs');

/** The control API of a deck: JSON over HTTP, past every route. */
class ControlClient {
  /**
   * @param {string} url of the control API
   * @param {string} [token] that steers the deck
   */
  constructor(url, token) {
    try {
      this.base = new URL(url);
    } catch {
      // Told below.
    }
    if (this.base?.protocol !== 'http:') {
      throw new TapedeckError(`"${url}" names no deck: write a URL such as http://127.0.0.1:4748`);
    }
    this.url = url.replace(/\/+$/, '');
    this.token = token;
    this.agent = new http.Agent({ keepAlive: true });
    this.agent[DIRECT] = true;
  }

  /** The JSON that the deck answers with. */
  async json(method, path, body) {
    const text = await this.text(method, path, body);
    return text === '' ? undefined : JSON.parse(text);
  }

  /**
   * @throws {ControlError} where the deck refuses
   * @throws {TapedeckError} where there is no deck
   */
  async text(method, path, body) {
    const { status, text } = await this.#ask(method, path, body);
    if (status < 400) return text;
    let problem = {};
    try {
      problem = JSON.parse(text);
    } catch {
      // No problem document: something else answers there.
    }
    const message = status === 401
      ? `the deck at ${this.url} requires its token: set TAPEDECK_TOKEN`
      : problem.detail ?? `the deck at ${this.url} answers with status ${status} and no reason`;
    throw new ControlError(message, status, problem);
  }

  #ask(method, path, body) {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = { accept: 'application/json, application/x-pem-file' };
    if (this.token) headers.authorization = `Bearer ${this.token}`;
    if (payload) Object.assign(headers, { 'content-type': 'application/json', 'content-length': payload.length });
    return new Promise((resolve, reject) => {
      const failed = (error) =>
        reject(new TapedeckError(`the deck at ${this.url} does not answer: ${reasonOf(error)}`));
      const request = http.request(
        `${this.url}${path}`,
        { method, headers, agent: this.agent },
        (response) => {
          const pieces = [];
          response.on('data', (piece) => pieces.push(piece));
          response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }));
          response.on('error', failed);
        },
      );
      request.on('error', failed);
      request.end(payload);
    });
  }
}

/** The system's words for an error, such as `connection refused`. */
function reasonOf(error) {
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}

module.exports = { ControlClient };
