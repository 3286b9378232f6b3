// One exchange: what came, what answered it and why, headers and bodies; for an unmatched request the near misses.

import { Actions } from "./actions.js";
import { bytes, call, sessionPath } from "./api.js";
import { readable } from "./bodies.js";
import { attempt, byId, element, tell } from "./dom.js";
import { makeSplitter } from "./splitter.js";
import { duration, isUnderWay, kind, outcomeText, statusText, timeOfDay } from "./words.js";

export class Detail {
  #session = null;
  #loading = null;
  #number = null;
  // Of the entry as it is shown; undefined while it is loaded.
  #version;
  #section = byId("detail");
  #content = byId("detail-content");

  #actions;

  /**
   * @param onClose Called when the user closes it.
   * @param maker Makes response sets.
   * @param onSet Called with the name of a response set to show.
   */
  constructor(onClose, maker, onSet) {
    this.#actions = new Actions(maker, onSet);
    makeSplitter(byId("detail-bar"), this.#section);
    byId("detail-close").addEventListener("click", onClose);
  }

  open(session) {
    this.#session = session;
    this.#actions.open(session);
    this.show(null);
  }

  /** Shows the entry of the journal with that number; null closes it. */
  async show(number) {
    this.#loading?.abort();
    this.#section.hidden = number === null;
    byId("detail-bar").hidden = number === null;
    this.#number = number;
    this.#version = undefined;
    if (number === null) return this.#content.replaceChildren();
    const loading = (this.#loading = new AbortController());
    try {
      const entry = await call(sessionPath(this.#session, "journal", number), { signal: loading.signal });
      this.#fill(entry);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#title(`Request ${number}`);
      this.#content.replaceChildren(element("p", { class: "note" }, error.message));
    }
  }

  /** The entry has changed; it is loaded anew if it is the one that is shown. */
  changed(entry) {
    if (this.#number === entry.number && !(this.#version >= entry.version)) this.show(entry.number);
  }

  #title(...parts) {
    byId("detail-title").replaceChildren(...parts);
  }

  #fill(entry) {
    const isSame = this.#content.dataset.number === String(entry.number);
    this.#version = entry.version;
    const status = element("b", { "data-kind": kind(entry) }, statusText(entry));
    this.#title(status, ` ${entry.method} `, entry.shownURL ?? entry.url);
    this.#content.dataset.number = entry.number;
    this.#content.replaceChildren(
      ...this.#actions.of(entry),
      this.#facts(entry),
      ...(entry.unmatched === undefined ? [] : [this.#unmatched(entry.unmatched)]),
      this.#message("Response", "response-body", entry.number, entry.response),
      this.#message("Request", "request-body", entry.number, entry.request),
    );
    if (!isSame) this.#content.scrollTop = 0;
  }

  #facts(entry) {
    const played = entry.played;
    const answer = entry.unmatched === undefined ? outcomeText(entry.outcome) : "nothing";
    const facts = [
      ["Answered by", played === undefined ? answer : `${played.set} · ${played.variant}`],
      ["Take", played && `${played.take}`],
      ["Cassette", played?.cassette],
      ["Why", played?.rule ?? entry.reason],
      ["Note", entry.note],
      ["Fault", entry.code === undefined ? entry.fault : `${entry.fault} (${entry.code})`],
      ["Over", entry.stream === undefined ? entry.protocol : `${entry.protocol}, stream ${entry.stream}`],
      ["At", `${timeOfDay(entry.time)} (request ${entry.number})`],
      ["Took", isUnderWay(entry) ? outcomeText("pending") : duration(entry.milliseconds)],
      ["Ended", entry.ending === "complete" ? undefined : entry.ending],
    ];
    const known = facts.filter(([, text]) => text);
    return element("dl", { class: "facts" }, ...known.flatMap(([name, text]) => [
      element("dt", {}, name),
      element("dd", {}, text),
    ]));
  }

  // MARK: Near misses

  #unmatched(unmatched) {
    const misses = unmatched.nearest.map((miss) => this.#nearMiss(miss));
    return element(
      "section",
      { class: "unmatched", "aria-label": "Why nothing answered" },
      element("h3", {}, "Nothing on tape answers it"),
      element("p", {}, unmatched.message),
      misses.length > 0 && element("div", { class: "misses" }, ...misses),
      element("p", { class: "remedy" }, unmatched.remedy),
    );
  }

  #nearMiss(miss) {
    const rows = miss.parts.map((part) =>
      element(
        "tr",
        { "data-met": String(part.isMet) },
        element("td", {}, ...(part.isMet ? mark("✓", "met") : mark("✕", "not met"))),
        element("th", { scope: "row" }, part.name),
        element("td", {}, part.wanted),
        element("td", {}, part.came),
      ),
    );
    const heads = ["", "Part", "The tape has", "The request has"].map((text) => element("th", { scope: "col" }, text));
    return element(
      "table",
      {},
      element("caption", {}, element("b", {}, miss.set), element("span", { class: "dim" }, ` ${miss.cassette}`)),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
  }

  // MARK: Messages

  #message(title, path, number, message) {
    const section = element("section", { class: "message" }, element("h3", {}, title));
    if (message === undefined) {
      section.append(element("p", { class: "note" }, "There is none."));
      return section;
    }
    const lines = message.headers.map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)),
    );
    section.append(element("table", { class: "headers" }, element("tbody", {}, ...lines)));
    const body = message.body;
    if (body !== undefined && body.length > 0) section.append(...this.#body(message, path, number));
    else section.append(element("p", { class: "note" }, "No body."));
    return section;
  }

  #body(message, path, number) {
    const type = message.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
    const load = () => bytes(sessionPath(this.#session, "journal", number, path));
    const { view, notes } = readable(message.body, type, load);
    const save = { class: "plain", onclick: () => attempt(() => this.#save(path, number)) };
    return [element("p", { class: "note" }, notes.join(", "), " ", element("button", save, "save")), view];
  }

  /** Saves a body. A plain link would not do: it cannot carry the token. */
  async #save(path, number) {
    const { blob, isCut } = await bytes(sessionPath(this.#session, "journal", number, path));
    const url = URL.createObjectURL(blob);
    element("a", { href: url, download: `${path}-${number}` }).click();
    URL.revokeObjectURL(url);
    if (isCut) tell("The journal has kept only the beginning of that body.");
  }
}

/** A sign, and what it stands for to those who do not see it. */
const mark = (sign, meaning) => [
  element("span", { "aria-hidden": "true" }, sign),
  element("span", { class: "unseen" }, meaning),
];
