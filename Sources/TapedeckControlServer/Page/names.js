// Names and URLs where room is short: none says what another says, and what is too long is cut where it tells least.

import { element, setText } from "./dom.js";

// Any text matches.
const urlPattern = /^(\w+:\/\/)?([^/?#]*)(.*)$/s;

/** A URL as `{ origin, host, path }`; the path has the query. */
export function partsOf(url) {
  const [, scheme = "", host, path] = urlPattern.exec(url);
  return { origin: scheme + host, host, path };
}

/**
 * A set's name as `{ title, own, more }`, of which `title` and `more` leave out the host.
 *
 * Recorded sets are named after their requests, `METHOD HOST/PATH`. `own` is what the name says beyond the request, and
 * `more` what the request says beyond the name.
 */
export function partsOfName(name, method, url) {
  const { host, path } = partsOf(url);
  const start = `${method} ${host}`;
  const rest = name.slice(start.length);
  if (host === "" || !name.startsWith(start) || !/^(\/|\?|$)/.test(rest)) return { title: name, own: name, more: path };
  const title = `${method} ${rest}`;
  if (path.startsWith(rest) && /^([?#]|$)/.test(path.slice(rest.length))) {
    return { title, own: "", more: path.slice(rest.length) };
  }
  // A number behind it tells it from others of that name.
  if (rest.startsWith(path)) return { title, own: rest.slice(path.length).trim(), more: "" };
  return { title, own: rest, more: path };
}

/** A URL's path in pieces that a line may be broken between: `/users`, `/7`, `?page=1`. */
export const piecesOf = (path) => path.match(/[/?&]*[^/?&]*/g).filter(Boolean);

/** Text with places to break a line at. */
export const breakable = (text) => piecesOf(text).flatMap((piece) => [element("wbr"), piece]).slice(1);

/** Puts a text in pieces into a line. Where there is no room for all of it, those get shorter that are not `firm`. */
export function setPieces(line, pieces) {
  while (line.children.length > pieces.length) line.lastElementChild.remove();
  while (line.children.length < pieces.length) line.append(element("span"));
  pieces.forEach(({ text, kind = "" }, index) => {
    setText(line.children[index], text);
    line.children[index].className = kind;
  });
}

/** A path as such pieces. What is short, and what has digits as ids do, tells requests apart: it stays whole. */
export const pathPieces = (path) =>
  piecesOf(path).map((text) => ({ text, kind: text.length < 10 || /\d/.test(text) ? "firm" : "" }));
