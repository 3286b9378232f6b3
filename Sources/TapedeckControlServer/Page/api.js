// The control API: requests, and streams of server-sent events.

import { askForToken } from "./dom.js";

const tokenKey = "tapedeck-token";
const firstDelay = 500;
const longestDelay = 10_000;
// The deck sends a comment every 15 seconds, so a stream that is silent for this long is dead.
const longestSilence = 45_000;

let token = sessionStorage.getItem(tokenKey);
let asking = null;

/** What the API says was wrong with a request (RFC 9457); the message is for the user. */
class Problem extends Error {
  constructor(status, body) {
    const details = (body?.errors ?? []).map((error) => `${error.pointer}: ${error.detail}`);
    super([body?.detail ?? body?.title ?? `The deck answered with status ${status}.`, ...details].join("\n"));
    this.status = status;
    /** What is wrong where in the body: each a JSON pointer and a detail. */
    this.errors = body?.errors ?? [];
  }

  /** Whether what was asked for is not there (any more). */
  get isGone() {
    return this.status === 404 || this.status === 410;
  }
}

/** The path of something that belongs to a session. Names may hold slashes and spaces. */
export function sessionPath(id, ...parts) {
  return ["sessions", id, ...parts].map(encodeURIComponent).join("/");
}

/** Asks for a new token, once for all requests that were refused with the old one. */
function renewToken(refused) {
  if (token !== refused) return Promise.resolve();
  asking ??= askForToken(refused !== null).then((answer) => {
    token = answer;
    sessionStorage.setItem(tokenKey, answer);
    asking = null;
  });
  return asking;
}

/**
 * Sends a request and returns the response, whatever its body is. Throws a `Problem` for an error.
 *
 * `body` goes out as JSON, `file` as the bytes that it is.
 */
async function send(path, { method = "GET", body, file, accept = "application/json", signal } = {}) {
  for (;;) {
    const used = token;
    const headers = { Accept: accept };
    if (used !== null) headers.Authorization = `Bearer ${used}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (file !== undefined) headers["Content-Type"] = "application/octet-stream";
    const content = body === undefined ? file : JSON.stringify(body);
    const response = await fetch(`v1/${path}`, { method, headers, body: content, signal }).catch((error) => {
      if (error.name === "AbortError") throw error;
      throw new Error("The deck does not answer. Is it still running?");
    });
    if (response.ok) return response;
    if (response.status !== 401) throw new Problem(response.status, await response.json().catch(() => null));
    await renewToken(used);
  }
}

/** Asks for JSON, or sends some; null where the answer has no body. */
export async function call(path, options) {
  const text = await (await send(path, options)).text();
  return text === "" ? null : JSON.parse(text);
}

/** Asks for the bytes of a body, and whether they are only its beginning. */
export async function bytes(path) {
  const response = await send(path, { accept: "*/*" });
  return { blob: await response.blob(), isCut: response.headers.has("X-Tapedeck-Body-Cut") };
}

/** Asks for a file to save: its bytes, its name, and how many parts of the cassette it does not say. */
export async function download(path) {
  const response = await send(path, { accept: "*/*" });
  const [, name] = /filename="([^"]*)"/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  return { blob: await response.blob(), name, leftOut: Number(response.headers.get("X-Tapedeck-Left-Out")) };
}

/**
 * Follows a stream until `signal` aborts; connects anew, later each time, when it breaks.
 *
 * @param path A function of the id of the last event (undefined before the first one).
 * @param onEvent Called with the name and the data of each event, and the id of the last one that had any.
 * @param onState Called with `live` or `reconnecting`, and with what went wrong.
 * @throws Problem when what is followed is not there (any more).
 */
export async function follow(path, { signal, onEvent, onState }) {
  let last;
  let delay = firstDelay;
  while (!signal.aborted) {
    let trouble = "The connection was closed.";
    try {
      for await (const event of events(path(last), signal, () => onState("live"))) {
        // Events that were read before the end may still arrive.
        if (signal.aborted) return;
        delay = firstDelay;
        last = event.id ?? last;
        onEvent(event.name, JSON.parse(event.data || "null"), last);
      }
    } catch (error) {
      if (error instanceof Problem && error.isGone) throw error;
      trouble = error.message;
    }
    if (signal.aborted) return;
    onState("reconnecting", trouble);
    await pause(delay, signal);
    delay = Math.min(delay * 2, longestDelay);
  }
}

/** The events of one connection. */
async function* events(path, signal, onOpen) {
  const silence = new AbortController();
  let timer;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), longestSilence);
  };
  listen();
  try {
    const both = AbortSignal.any([signal, silence.signal]);
    const response = await send(path, { accept: "text/event-stream", signal: both });
    onOpen();
    let rest = "";
    for await (const text of chunks(response.body.pipeThrough(new TextDecoderStream()))) {
      listen();
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = parse(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    clearTimeout(timer);
    // Leaving early must not leave the connection open: a browser has few of them.
    silence.abort();
  }
}

// Not every browser can iterate over a stream itself.
async function* chunks(stream) {
  const reader = stream.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
}

/** One event; null for a comment. */
function parse(block) {
  const event = { name: "message", data: "", id: undefined };
  let isEvent = false;
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (field === "event") event.name = value;
    else if (field === "id") event.id = value;
    else if (field === "data") event.data += value;
    else continue;
    isEvent = true;
  }
  return isEvent ? event : null;
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Loads something on request, but never twice at once; `soon` makes one load of all requests within a second. */
export class Refresher {
  #load;
  #running = null;
  #isWanted = false;
  #timer;

  constructor(load) {
    this.#load = load;
  }

  /** Loads it now; if that is under way already, once more after it. */
  now() {
    this.#isWanted = true;
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Loads it within a second. */
  soon() {
    this.#timer ??= setTimeout(() => this.now().catch(() => {}), 1_000);
  }

  async #run() {
    while (this.#isWanted) {
      this.#isWanted = false;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      await this.#load();
    }
  }
}
