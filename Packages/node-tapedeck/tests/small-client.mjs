import http from 'node:http';
import https from 'node:https';

/** The client that the tests test: of an API, by fetch and by Node's own modules. */
export class GitHub {
  constructor(base = 'https://api.github.example') {
    this.base = base;
  }

  /** The login of a user; `undefined` if there is none. */
  async user(login) {
    const response = await fetch(`${this.base}/users/${login}`);
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()).login;
  }

  async login(name, password) {
    const response = await fetch(`${this.base}/login`, { method: 'POST', body: JSON.stringify({ name, password }) });
    return response.ok;
  }

  photo(options) {
    return get('http://api.github.example/photo', options);
  }
}

/** The status and text of a URL, by http or https. */
export function get(url, options = {}) {
  return new Promise((resolve, reject) => {
    const library = url.startsWith('https:') ? https : http;
    const request = library.get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
