'use strict';

const { inspect } = require('node:util');

/** Characters of a body that a description shows. */
const SHOWN_BODY = 200;
/** Near misses of a request that are shown. */
const SHOWN_MISSES = 3;

/** A request as the session saw it, and what answered it. Properties have secrets; descriptions have placeholders. */
class Exchange {
  // Private, so that no test framework prints what is secret in it.
  #entry;

  constructor(entry) {
    this.#entry = entry;
  }

  get number() {
    return this.#entry.number;
  }
  get method() {
    return this.#entry.method;
  }
  get url() {
    return this.#entry.url;
  }
  get outcome() {
    return this.#entry.outcome;
  }
  get status() {
    return this.#entry.status;
  }
  get fault() {
    return this.#entry.fault;
  }
  get played() {
    return this.#entry.played;
  }
  /** A remark of the deck, such as a place where the request differs from the recorded one; often `undefined`. */
  get note() {
    return this.#entry.note;
  }
  get request() {
    return new Message(this.#entry.request);
  }
  get response() {
    return this.#entry.response && new Message(this.#entry.response);
  }

  /** Why nothing answered, with the near misses, in lines; `undefined` unless `outcome` is `unmatched`. */
  get mismatch() {
    const { unmatched } = this.#entry;
    if (!unmatched) return undefined;
    const remedy = unmatched.ignoring ? [`  ${unmatched.ignoring}`] : [];
    return [unmatched.message, ...unmatched.nearest.slice(0, SHOWN_MISSES).flatMap(nearMiss), ...remedy].join('\n');
  }

  /** Method, URL and answer, with placeholders in place of secrets. */
  toString() {
    const answer = this.status ?? this.fault ?? 'no answer';
    const source = this.played ? `"${this.played.set}", ${this.played.variant}` : this.outcome;
    return `${this.#requestLine} → ${answer} ${source}${this.note ? ` (${this.note})` : ''}`;
  }

  get #requestLine() {
    return `${this.method} ${this.#entry.shownURL ?? this.url}`;
  }

  /** What a failure says of a request that nothing answered. */
  get unmatchedText() {
    return `nothing on tape answers ${this.#requestLine}: ${this.mismatch}`;
  }

  toJSON() {
    const { request, response } = this;
    return { exchange: this.toString(), request: request.toJSON(), response: response?.toJSON() };
  }

  [inspect.custom]() {
    return `Exchange(${this.toString()})`;
  }
}

function nearMiss({ set, cassette, parts }) {
  const differences = parts.map(({ difference }) => difference).filter((difference) => difference !== undefined);
  return [`  near is "${set}" of ${cassette}`, ...differences.map((difference) => `    ${difference}`)];
}

/** Headers and body of a request or a response. Properties have secrets; descriptions have placeholders. */
class Message {
  #message;

  constructor(message = { headers: [] }) {
    this.#message = message;
  }

  /** Names and values, in the order and case of the wire. */
  get headers() {
    return this.#message.headers;
  }

  /** The values of a header field, whatever its case, as one list (RFC 9110, section 5.3); `undefined` without one. */
  header(name) {
    const fields = this.headers.filter(([own]) => own.toLowerCase() === name.toLowerCase());
    return fields.length > 0 ? fields.map(([, value]) => value).join(', ') : undefined;
  }

  /** The body without its content coding. */
  get bytes() {
    const { text, base64 } = this.#message.body ?? {};
    return text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
  }

  /** The body as text. */
  get text() {
    return this.bytes.toString();
  }

  /** True if the deck kept less than all of the body. */
  get isCut() {
    return this.#message.body?.isCut ?? false;
  }

  /** The body, parsed as JSON. */
  json() {
    return JSON.parse(this.text);
  }

  toJSON() {
    const body = this.#message.body;
    return {
      headers: this.#message.shownHeaders ?? this.headers,
      body: (body?.shownText ?? body?.text ?? `${body?.length ?? 0} bytes`).slice(0, SHOWN_BODY),
    };
  }

  [inspect.custom]() {
    return `Message ${inspect(this.toJSON())}`;
  }
}

module.exports = { Exchange, Message };
