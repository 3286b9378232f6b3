// The response sets of a session, with their variants to pick from.

import { call, Refresher, sessionPath } from "./api.js";
import { attempt, byId, count, element, moveWithArrows, setText } from "./dom.js";

// More than this nobody reads; the search finds the others.
const limit = 100;

export class Sets {
  #session = null;
  #cards = new Map();
  #opened = new Set();
  #refresher = new Refresher(() => this.#load());
  #list = byId("sets-list");
  #search = byId("sets-search");

  constructor() {
    this.#search.addEventListener("input", () => attempt(() => this.#refresher.now()));
    byId("sets-reset").addEventListener("click", () => this.#steer("DELETE"));
    this.#list.addEventListener("keydown", (event) => this.#pressed(event));
    this.#list.addEventListener("focusin", (event) => this.#makeStop(event.target));
  }

  /** The sets are those of that session from now on (null: of none); `refresh` shows them. */
  open(session) {
    this.#session = session;
    this.#opened.clear();
    this.showSelections({});
    this.#show({ sets: [], total: 0 });
    setText(byId("sets-note"), "");
  }

  /** The session's selections, of which some may be of sets that are not in the list. */
  showSelections(selections) {
    byId("sets-reset").disabled = Object.keys(selections).length === 0;
  }

  refresh() {
    return attempt(() => this.#refresher.now());
  }

  /** Brings how often each set was asked for up to date; cheap enough to be called for every request. */
  refreshSoon() {
    this.#refresher.soon();
  }

  async #load() {
    const session = this.#session;
    if (session === null) return;
    const query = new URLSearchParams({ search: this.#search.value.trim(), offset: 0, limit });
    const answer = await call(`${sessionPath(session, "sets")}?${query}`);
    if (session === this.#session) this.#show(answer);
  }

  /** Selects a variant, takes one set's selection back, or all. */
  #steer(method, set, variant) {
    const parts = set === undefined ? [] : [set];
    const body = variant === undefined ? undefined : { variant };
    return attempt(async () => {
      await call(sessionPath(this.#session, "selections", ...parts), { method, body });
      await this.#refresher.now();
    });
  }

  // MARK: Showing

  #show({ sets, total }) {
    const cards = new Map(sets.map((set) => [`${set.isAdded} ${set.cassette} ${set.name}`, this.#card(set)]));
    const nodes = [...cards.values()].map((card) => card.node);
    const there = this.#list.children;
    const isSame = nodes.length === there.length && nodes.every((node, index) => node === there[index]);
    const focused = this.#list.contains(document.activeElement) ? document.activeElement : null;
    if (!isSame) this.#list.replaceChildren(...nodes);
    if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
    if (this.#list.querySelector(tabStop) === null) this.#makeStop(entrance(nodes[0]));
    this.#cards = cards;
    const searched = this.#search.value.trim() !== "";
    const none = searched ? "No response set has that in its name, URL or variants." : "There are no response sets.";
    const more = `The first ${sets.length} of ${count(total, "response set")}; search to see others.`;
    setText(byId("sets-note"), total === 0 ? none : sets.length < total ? more : "");
  }

  /** The card of a set: the one that is there as long as nothing on it is different but the count. */
  #card(set) {
    const key = `${set.isAdded} ${set.cassette} ${set.name}`;
    const { asked, ...rest } = set;
    const state = JSON.stringify([rest, this.#opened.has(key)]);
    let card = this.#cards.get(key);
    if (card === undefined) card = { node: element("li", { class: "set" }), state: null };
    if (card.state !== state) this.#fill(card.node, set, key);
    card.state = state;
    setText(card.node.querySelector(".asked"), asked === 0 ? "not asked" : `asked ${asked.toLocaleString("en")}×`);
    card.node.classList.toggle("unasked", asked === 0);
    return card;
  }

  #fill(node, set, key) {
    // Keyboard users stay on the button they pressed although it is another now.
    const focused = node.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    const place = set.isAdded ? "added" : set.cassette;
    node.replaceChildren(
      element("h3", {}, set.name),
      element("p", { class: "dim" }, `${place} · `, element("span", { class: "asked" })),
      element("p", { class: "request" }, element("code", {}, set.request), this.#conditions(set)),
      this.#variants(set, key),
    );
    if (focused === undefined) return;
    const buttons = [...node.querySelectorAll("button")];
    (buttons.find((button) => button.dataset.name === focused) ?? buttons[0])?.focus();
  }

  #conditions(set) {
    if (set.conditions.length === 0) return null;
    return element("span", { class: "conditions" }, ` ${set.conditions.join(", ")}`);
  }

  #variants(set, key) {
    const inUse = [set.selected, set.playing, ...set.wrappers];
    const isOpen = this.#opened.has(key);
    const shown = set.variants.filter((variant) => !variant.isBuiltIn || isOpen || inUse.includes(variant.name));
    const buttons = shown.map((variant) => this.#variant(set, variant));
    const more = { class: "plain", "data-name": "\nmore", "aria-expanded": String(isOpen), tabindex: -1 };
    const reset = { class: "plain", "data-name": "\nreset", tabindex: -1 };
    if (set.variants.some((variant) => variant.isBuiltIn)) {
      const text = isOpen ? "fewer" : "more…";
      buttons.push(element("button", { ...more, onclick: () => this.#toggle(key) }, text));
    }
    if (set.selected !== undefined) {
      buttons.push(element("button", { ...reset, onclick: () => this.#steer("DELETE", set.name) }, "reset"));
    }
    const attributes = { class: "variants", role: "group", "aria-label": `Variants of ${set.name}` };
    const group = element("div", attributes, ...buttons);
    moveWithArrows(group, "button", ["ArrowLeft"], ["ArrowRight"]);
    return group;
  }

  #variant(set, variant) {
    const marks = [
      variant.isDefault && "default",
      variant.name === set.playing && "plays",
      set.wrappers.includes(variant.name) && "goes around it",
      variant.isBuiltIn && "built in",
    ].filter(Boolean);
    const isUsed = variant.name === set.playing || set.wrappers.includes(variant.name);
    const attributes = {
      class: "variant",
      "data-name": variant.name,
      "data-used": String(isUsed),
      "aria-pressed": String(variant.name === set.selected),
      title: marks.join(", "),
      tabindex: -1,
      onclick: () => this.#steer("PUT", set.name, variant.name),
    };
    return element(
      "button",
      attributes,
      element("span", { class: "name" }, variant.name),
      element("span", { class: "summary" }, variant.summary),
      marks.length > 0 && element("span", { class: "unseen" }, `(${marks.join(", ")})`),
    );
  }

  #toggle(key) {
    if (!this.#opened.delete(key)) this.#opened.add(key);
    return this.refresh();
  }

  /** Up and down go from set to set. */
  #pressed(event) {
    const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
    const next = step && entrance(event.target.closest(".set")?.[step]);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /** The list is one tab stop, however many sets it has; that is where the focus was last. */
  #makeStop(button) {
    for (const other of this.#list.querySelectorAll(tabStop)) other.tabIndex = -1;
    if (button) button.tabIndex = 0;
  }
}

const tabStop = '[tabindex="0"]';

/** The button of a set's card that the focus goes to first. */
const entrance = (card) => card?.querySelector('[aria-pressed="true"]') ?? card?.querySelector("button");
