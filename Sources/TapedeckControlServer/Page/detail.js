// One exchange: headers and bodies, what may answer next, what answered and why; or the near misses.

import { Actions } from "./actions.js";
import { bytes, call, sessionPath } from "./api.js";
import { bodyView } from "./bodyview.js";
import { attempt, byId, count, element, focusInstead, moveWithArrows, tell } from "./dom.js";
import { makeSplitter } from "./splitter.js";
import { duration, isUnderWay, kind, outcomeText, statusText, timeOfDay } from "./words.js";

const parts = ["response", "request", "next", "about"];

export class Detail {
  #session = null;
  #loading = null;
  #number = null;
  // As it is shown; null while it is loaded.
  #entry = null;
  // The part that is shown of requests that were answered, and of those that were not.
  #chosen = { answered: "response", unmatched: "about" };
  #areHeadersOpen = false;
  #section = byId("detail");
  #bar = byId("detail-bar");
  #enlarge = byId("detail-enlarge");
  #actions;

  /**
   * @param onClose Called when the user closes it.
   * @param maker Makes response sets.
   * @param onSet Called with the name of a response set to show.
   */
  constructor(onClose, maker, onSet) {
    this.#actions = new Actions(maker, onSet, () => this.#part() === "next" && this.#fillNext());
    makeSplitter(this.#bar, this.#section);
    byId("detail-close").addEventListener("click", onClose);
    this.#enlarge.addEventListener("click", () => this.#setEnlarged(!this.#isEnlarged));
    moveWithArrows(byId("detail-tabs"), '[role="tab"]', ["ArrowLeft"], ["ArrowRight"]);
    for (const part of parts) tab(part).addEventListener("click", () => this.#select(part));
  }

  open(session) {
    this.#session = session;
    this.#actions.open(session);
    this.show(null);
  }

  /** Shows the entry of the journal with that number; null closes it. */
  async show(number) {
    this.#loading?.abort();
    this.#number = number;
    this.#entry = null;
    this.#section.hidden = number === null;
    this.#bar.hidden = number === null;
    if (number === null) return this.#setEnlarged(false);
    const loading = (this.#loading = new AbortController());
    try {
      const entry = await call(sessionPath(this.#session, "journal", number), { signal: loading.signal });
      this.#fill(entry);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.#clear(`Request ${number}`);
      panel(this.#part()).replaceChildren(element("p", { class: "note" }, error.message));
    }
  }

  /** The entry has changed; it is loaded anew if it is the one that is shown. */
  changed(entry) {
    if (this.#number === entry.number && !(this.#entry?.version >= entry.version)) this.show(entry.number);
  }

  /** Moves the focus to the entry. */
  focus() {
    tab(this.#part()).focus();
  }

  /** Leaves the whole window to the others again; returns whether it had it. */
  shrink() {
    const had = this.#isEnlarged;
    this.#setEnlarged(false);
    return had;
  }

  get #isEnlarged() {
    return byId("panels").classList.contains("enlarged");
  }

  #setEnlarged(isEnlarged) {
    byId("panels").classList.toggle("enlarged", isEnlarged);
    this.#enlarge.setAttribute("aria-pressed", String(isEnlarged));
  }

  // MARK: Parts

  get #kind() {
    return this.#entry?.unmatched === undefined ? "answered" : "unmatched";
  }

  #part() {
    return this.#chosen[this.#kind];
  }

  #select(part) {
    this.#chosen[this.#kind] = part;
    this.#showPart();
    if (part === "next") this.#fillNext();
  }

  #showPart() {
    const shown = this.#part();
    for (const part of parts) {
      tab(part).setAttribute("aria-selected", String(part === shown));
      tab(part).tabIndex = part === shown ? 0 : -1;
      panel(part).hidden = part !== shown;
    }
  }

  #clear(...title) {
    byId("detail-title").replaceChildren(...title);
    byId("detail-copies").replaceChildren();
    byId("detail-failing").replaceChildren();
    for (const part of parts) panel(part).replaceChildren();
  }

  #fill(entry) {
    this.#entry = entry;
    const hadFocus = this.#section.contains(document.activeElement);
    const status = element("b", { "data-kind": kind(entry) }, statusText(entry));
    this.#clear(status, ` ${entry.method} `, entry.shownURL ?? entry.url);
    byId("detail-copies").replaceChildren(...this.#actions.copies(entry));
    byId("detail-failing").replaceChildren(this.#actions.failing(entry));
    panel("response").replaceChildren(...this.#message("response", entry.number, entry.response));
    panel("request").replaceChildren(...this.#message("request", entry.number, entry.request));
    panel("about").replaceChildren(...this.#about(entry));
    this.#showPart();
    if (this.#part() === "next") this.#fillNext();
    if (hadFocus) focusInstead(tab(this.#part()));
  }

  #fillNext() {
    panel("next").replaceChildren(...this.#actions.next(this.#entry));
  }

  #about(entry) {
    const why = entry.unmatched === undefined ? [] : [this.#unmatched(entry)];
    return [...why, this.#facts(entry)];
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

  #unmatched(entry) {
    const { nearest, message, remedy } = entry.unmatched;
    const hasNearest = nearest.length > 0;
    return element(
      "section",
      { class: "unmatched", "aria-label": "Why nothing answered" },
      element("h3", {}, hasNearest ? "Nothing on tape answers it" : capitalised(message)),
      hasNearest && element("p", {}, message),
      hasNearest && element("div", { class: "misses" }, ...nearest.map((miss) => this.#nearMiss(miss))),
      element("p", { class: "remedy" }, remedy),
      element("p", { class: "actions" }, this.#actions.maker(entry)),
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
    const names = ["Part", "The tape has", "The request has"];
    const met = element("span", { class: "unseen" }, "Met");
    const heads = [met, ...names].map((text) => element("th", { scope: "col" }, text));
    return element(
      "table",
      {},
      element("caption", {}, element("b", {}, miss.set), element("span", { class: "dim" }, ` ${miss.cassette}`)),
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
  }

  // MARK: Messages

  #message(name, number, message) {
    if (message === undefined) return [element("p", { class: "note" }, "There is none.")];
    const { headers, body } = message;
    const lines = headers.map(([field, value]) =>
      element("tr", {}, element("th", { scope: "row" }, field), element("td", {}, value)),
    );
    const toggled = (event) => (this.#areHeadersOpen = event.target.open);
    const fields = element(
      "details",
      { open: this.#areHeadersOpen, ontoggle: toggled },
      element("summary", {}, count(lines.length, "header")),
      element("table", { class: "headers" }, element("tbody", {}, ...lines)),
    );
    const isEmpty = body === undefined || body.length === 0;
    const content = isEmpty ? element("p", { class: "note" }, "No body.") : this.#body(name, number, message);
    return [element("div", { class: "message" }, fields, content)];
  }

  #body(name, number, { headers, body }) {
    const type = headers.find(([field]) => field.toLowerCase() === "content-type")?.[1];
    const path = `${name}-body`;
    const load = () => bytes(sessionPath(this.#session, "journal", number, path));
    return bodyView(name, body, type, load, () => attempt(() => this.#save(path, number)));
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

const tab = (part) => byId(`tab-${part}`);
const panel = (part) => byId(`part-${part}`);

const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A sign, and what it stands for to those who do not see it. */
const mark = (sign, meaning) => [
  element("span", { "aria-hidden": "true" }, sign),
  element("span", { class: "unseen" }, meaning),
];
