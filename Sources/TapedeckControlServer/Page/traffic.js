// The list of requests: what is known of them, which are shown, and the few rows that are in the page.

import { size as sizeText } from "./bodies.js";
import { byId, count, element, setText } from "./dom.js";
import { partsOf, pathPieces, setPieces } from "./names.js";
import { answerPieces, answerText, duration, isUnderWay, kind, statusText, timeOfDay } from "./words.js";

// As many as a journal holds, and some more, so that dropping the oldest is rare.
const kept = 5_000;
const slack = 500;
// Rows above and below the visible ones, so that quick scrolling shows no gaps.
const margin = 6;

const columns = ["time", "method", "status", "url", "answer", "type", "size", "took"];

export class Traffic {
  #entries = [];
  #shown = [];
  #places = new Map();
  #rows = [];
  #chosen = null;
  #follows = true;
  #isDue = false;
  #rowHeight = 28;
  #onChoose;
  #onEnter;
  #viewport = byId("traffic-list");
  #space = byId("traffic-space");
  #search = byId("traffic-search");
  #outcome = byId("traffic-outcome");
  #follow = byId("traffic-follow");

  /**
   * @param onChoose Called with the number of the entry that was chosen, or with null.
   * @param onEnter Called when the keyboard goes on to the entry that was chosen.
   */
  constructor(onChoose, onEnter) {
    this.#onChoose = onChoose;
    this.#onEnter = onEnter;
    this.#viewport.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.#viewport.addEventListener("keydown", (event) => this.#pressed(event));
    this.#space.addEventListener("click", (event) => this.#clicked(event));
    this.#search.addEventListener("input", () => this.#filter());
    this.#search.addEventListener("keydown", (event) => this.#pressedInSearch(event));
    this.#outcome.addEventListener("change", () => this.#filter());
    this.#follow.addEventListener("click", () => this.#setFollows(!this.#follows));
    new ResizeObserver(() => this.#resized()).observe(this.#viewport);
  }

  /** The number of the entry that is chosen, or null. */
  get chosen() {
    return this.#chosen;
  }

  /** The sets that unmatched requests came nearest to, each `CASSETTE SET`. */
  get nearMisses() {
    const misses = this.#entries.flatMap((entry) => entry.unmatched?.nearest ?? []);
    return new Set(misses.map((miss) => `${miss.cassette} ${miss.set}`));
  }

  clear() {
    this.#entries = [];
    this.#places.clear();
    this.#chosen = null;
    this.#setFollows(true);
    this.#draw();
  }

  /** A new entry, or another version of one. */
  put(entry) {
    const known = this.#places.get(entry.number);
    entry.text = haystack(entry);
    entry.parts = partsOf(entry.shownURL ?? entry.url);
    if (known !== undefined) Object.assign(known, entry);
    else this.#insert(entry);
    this.#draw();
  }

  filterBy(outcome) {
    this.#outcome.value = outcome;
    this.#filter();
  }

  /** Chooses the entry of that number, or none; it need not be there yet. */
  choose(number) {
    this.#chosen = number;
    if (number !== null) this.#setFollows(false);
    this.#onChoose(number);
    this.#draw();
  }

  // MARK: Entries

  #insert(entry) {
    this.#places.set(entry.number, entry);
    const last = this.#entries.at(-1);
    if (last === undefined || last.number < entry.number) this.#entries.push(entry);
    else this.#entries.splice(this.#entries.findIndex((other) => other.number > entry.number), 0, entry);
    if (this.#entries.length > kept + slack) this.#dropOldest();
  }

  #dropOldest() {
    const before = this.#follows ? 0 : this.#shown.length;
    for (const entry of this.#entries.splice(0, this.#entries.length - kept)) this.#places.delete(entry.number);
    this.#select();
    // Keeps the visible rows in place.
    if (!this.#follows) this.#viewport.scrollTop -= (before - this.#shown.length) * this.#rowHeight;
  }

  /** Finds the entries that the filter lets through. */
  #select() {
    const text = this.#search.value.trim().toLowerCase();
    const outcome = this.#outcome.value;
    const isWanted = (entry) =>
      outcome === "" || kind(entry) === outcome || (outcome === "pending" && isUnderWay(entry));
    const passes = (entry) => isWanted(entry) && entry.text.includes(text);
    this.#shown = text === "" && outcome === "" ? this.#entries : this.#entries.filter(passes);
  }

  #filter() {
    this.#draw();
    if (!this.#follows) requestAnimationFrame(() => this.#reveal());
  }

  // MARK: Moving

  #scrolled() {
    const end = this.#space.offsetHeight - this.#viewport.clientHeight;
    const isAtEnd = this.#viewport.scrollTop >= end - this.#rowHeight;
    if (isAtEnd !== this.#follows) this.#setFollows(isAtEnd);
    this.#draw();
  }

  #setFollows(follows) {
    this.#follows = follows;
    this.#follow.setAttribute("aria-pressed", String(follows));
    this.#draw();
  }

  #resized() {
    this.#rowHeight = parseFloat(getComputedStyle(this.#viewport).getPropertyValue("--row-height"));
    if (!this.#follows) this.#reveal();
    this.#draw();
  }

  #clicked(event) {
    const row = event.target.closest(".row");
    if (row !== null) this.choose(this.#shown[Number(row.dataset.index)].number);
  }

  #pressed(event) {
    const page = Math.max(1, Math.floor(this.#viewport.clientHeight / this.#rowHeight) - 1);
    const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity };
    const step = event.key === "Enter" ? 0 : steps[event.key];
    const isWithOthers = event.altKey || event.ctrlKey || event.metaKey;
    // Text that was typed just now is filtered with the next frame.
    this.#select();
    if (step === undefined || this.#shown.length === 0 || isWithOthers || event.isComposing) return;
    event.preventDefault();
    this.#move(step);
    if (step === 0) this.#onEnter();
  }

  /** In the search the keys of the list move, too, except those that move in its text. */
  #pressedInSearch(event) {
    if (event.key !== "Home" && event.key !== "End") this.#pressed(event);
  }

  #move(step) {
    const last = this.#shown.length - 1;
    const now = this.#indexOfChosen();
    if (now >= 0 && step === 0) return;
    // With none chosen, the way in is the newest; down from a search, where it is read from the top, the first.
    const isFromTop = step === -Infinity || (step > 0 && document.activeElement === this.#search);
    const entrance = isFromTop ? 0 : last;
    const next = now < 0 ? entrance : Math.min(Math.max(now + step, 0), last);
    this.choose(this.#shown[next].number);
    this.#scrollTo(next);
  }

  #indexOfChosen() {
    return this.#chosen === null ? -1 : this.#shown.findIndex((entry) => entry.number === this.#chosen);
  }

  /** Scrolls to the entry that is chosen. */
  #reveal() {
    const index = this.#indexOfChosen();
    if (index >= 0) this.#scrollTo(index);
  }

  #scrollTo(index) {
    const top = index * this.#rowHeight;
    const lowest = top + this.#rowHeight - this.#viewport.clientHeight;
    if (top < this.#viewport.scrollTop) this.#viewport.scrollTop = top;
    else if (lowest > this.#viewport.scrollTop) this.#viewport.scrollTop = lowest;
  }

  // MARK: Drawing

  /** Draws before the next frame, once, however much has changed by then. */
  #draw() {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#drawNow();
    });
  }

  #drawNow() {
    this.#select();
    const total = this.#shown.length;
    this.#space.style.height = `${total * this.#rowHeight}px`;
    if (this.#follows) this.#viewport.scrollTop = total * this.#rowHeight;
    const size = Math.min(Math.ceil(this.#viewport.clientHeight / this.#rowHeight) + 2 * margin, total);
    const top = Math.floor(this.#viewport.scrollTop / this.#rowHeight) - margin;
    const first = Math.max(0, Math.min(top, total - size));
    this.#makeRows(size);
    const origin = this.#commonOrigin();
    setText(byId("traffic-origin"), origin ?? "");
    // A row keeps its place in the list as long as it is visible: scrolling by one line changes one row.
    for (let index = first; index < first + size; index += 1) this.#fill(this.#rows[index % size], index, origin);
    this.#describe(total);
  }

  /** The origin of most requests that are shown, if there is one: it is said above them and not in their rows. */
  #commonOrigin() {
    const counts = new Map();
    for (const { parts } of this.#shown) counts.set(parts.origin, (counts.get(parts.origin) ?? 0) + 1);
    return [...counts].find(([, times]) => times > this.#shown.length / 2)?.[0];
  }

  #makeRows(size) {
    while (this.#rows.length > size) this.#rows.pop().node.remove();
    while (this.#rows.length < size) {
      const cells = Object.fromEntries(columns.map((name) => [name, element("span", { class: name })]));
      const node = element("div", { class: "row", role: "option" }, ...Object.values(cells));
      this.#rows.push({ node, cells });
      this.#space.append(node);
    }
  }

  #fill({ node, cells }, index, commonOrigin) {
    const entry = this.#shown[index];
    node.style.transform = `translateY(${index * this.#rowHeight}px)`;
    node.id = `request-${entry.number}`;
    node.dataset.index = index;
    node.dataset.kind = kind(entry);
    node.setAttribute("aria-selected", String(entry.number === this.#chosen));
    node.setAttribute("aria-posinset", index + 1);
    node.setAttribute("aria-setsize", this.#shown.length);
    const { origin, path } = entry.parts;
    const answer = answerText(entry);
    node.setAttribute("aria-label", `${entry.method} ${origin}${path}, ${statusText(entry)}, ${answer}`);
    cells.url.title = origin + path;
    cells.answer.title = answer;
    setText(cells.time, timeOfDay(entry.time));
    setText(cells.method, entry.method);
    setText(cells.status, statusText(entry));
    const host = origin === commonOrigin ? [] : [{ text: origin, kind: "host" }];
    setPieces(cells.url, [...host, ...pathPieces(path)]);
    setPieces(cells.answer, answerPieces(entry));
    setText(cells.type, typeText(entry.mediaType));
    setText(cells.size, entry.responseBytes > 0 ? sizeText(entry.responseBytes) : "");
    setText(cells.took, isUnderWay(entry) ? "…" : duration(entry.milliseconds));
  }

  #describe(total) {
    const all = this.#entries.length;
    const isFiltered = total !== all;
    setText(byId("traffic-count"), isFiltered ? `${total} of ${count(all, "request")}` : count(all, "request"));
    byId("traffic-empty").hidden = total > 0;
    setText(byId("traffic-empty-text"), all === 0 ? "No requests yet." : "No request passes the filter.");
    byId("traffic-hint").hidden = all > 0;
    const row = document.getElementById(`request-${this.#chosen}`);
    for (const node of [this.#viewport, this.#search]) {
      if (row === null) node.removeAttribute("aria-activedescendant");
      else node.setAttribute("aria-activedescendant", row.id);
    }
  }
}

/** A media type in one word: the subtype, without what makes it long. */
const typeText = (mediaType = "") => mediaType.replace(/^(application|text|image)\/(x-|vnd\.)?/, "");

// The text that the search covers.
const haystack = (entry) =>
  [entry.method, entry.url, entry.status, entry.mediaType, answerText(entry)].join(" ").toLowerCase();
