// The response sets of a session, with their variants to pick from.

import { call, Refresher, sessionPath } from "./api.js";
import { attempt, byId, count, element, moveWithArrows, setText } from "./dom.js";
import { breakable, partsOfName } from "./names.js";
import { variantButton } from "./variants.js";

// A person reads no more than this; the search finds the others.
const limit = 100;
// The deck gives out this many at once; a filter looks into them.
const most = 1_000;

export class Sets {
  #session = null;
  #cards = new Map();
  #opened = new Set();
  #refresher = new Refresher(() => this.#load());
  #list = byId("sets-list");
  #search = byId("sets-search");
  #filter = byId("sets-filter");
  #nearMisses;
  #onShown;
  #onRead;

  /**
   * @param nearMisses Returns the sets that unmatched requests came nearest to, each `CASSETTE SET`.
   * @param onShown Called with the sets that are shown.
   * @param onRead Called with a set whose variants are to be read.
   */
  constructor(nearMisses, onShown, onRead) {
    this.#nearMisses = nearMisses;
    this.#onShown = onShown;
    this.#onRead = onRead;
    this.#filter.addEventListener("change", () => this.refresh());
    this.#search.addEventListener("input", () => attempt(() => this.#refresher.now()));
    this.#search.addEventListener("keydown", (event) => this.#pressedInSearch(event));
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

  /** Shows the set of that name and goes to it. */
  async reveal(name) {
    this.#search.value = name;
    this.#filter.value = "";
    await this.refresh();
    const card = [...this.#cards.values()].find((one) => one.name === name);
    if (card === undefined) return;
    card.node.scrollIntoView({ block: "nearest" });
    entrance(card.node)?.focus();
  }

  /** Brings how often each set was asked for up to date; cheap enough to be called for every request. */
  refreshSoon() {
    this.#refresher.soon();
  }

  async #load() {
    const session = this.#session;
    if (session === null) return;
    const filter = this.#filter.value;
    const query = new URLSearchParams({
      search: this.#search.value.trim(),
      offset: 0,
      limit: filter === "" ? limit : most,
    });
    const answer = await call(`${sessionPath(session, "sets")}?${query}`);
    if (session !== this.#session) return;
    if (filter === "") return this.#show(answer);
    const passing = answer.sets.filter(this.#passes(filter));
    this.#show({ sets: passing.slice(0, limit), total: passing.length });
  }

  #passes(filter) {
    const misses = this.#nearMisses();
    const plays = (set) => set.variants.find((variant) => variant.isDefault)?.name === set.playing;
    return {
      asked: (set) => set.asked > 0,
      unasked: (set) => set.asked === 0,
      changed: (set) => set.selected !== undefined || set.wrappers.length > 0 || !plays(set),
      missed: (set) => misses.has(`${set.cassette} ${set.name}`),
    }[filter];
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

  /** Takes a set away that was added to the session. */
  #remove(name) {
    return attempt(async () => {
      await call(sessionPath(this.#session, "added", name), { method: "DELETE" });
      await this.#refresher.now();
    });
  }

  // MARK: Showing

  #show({ sets, total }) {
    const cards = new Map(sets.map((set) => [`${set.isAdded} ${set.cassette} ${set.name}`, this.#card(set)]));
    const nodes = grouped([...cards.values()]);
    const there = this.#list.children;
    const isSame = nodes.length === there.length && nodes.every((node, index) => node === there[index]);
    const focused = this.#list.contains(document.activeElement) ? document.activeElement : null;
    if (!isSame) this.#list.replaceChildren(...nodes);
    if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
    if (this.#list.querySelector(tabStop) === null) this.#makeStop(entrance(nodes.find(isCard)));
    this.#cards = cards;
    this.#onShown(sets);
    const searched = this.#search.value.trim() !== "" || this.#filter.value !== "";
    const none = searched ? "No response set passes the search and the filter." : "There are no response sets.";
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
    card.name = set.name;
    card.group = groupOf(set);
    setText(card.node.querySelector(".asked"), asked === 0 ? "not asked" : `asked ${asked.toLocaleString("en")}×`);
    card.node.classList.toggle("unasked", asked === 0);
    return card;
  }

  #fill(node, set, key) {
    // Keyboard users stay on the button they pressed although it is another now.
    const focused = node.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    const { title, request, whole } = texts(set);
    node.replaceChildren(
      element(
        "div",
        { class: "names" },
        element("h3", { title: set.name, "aria-label": set.name }, ...breakable(title)),
        request !== "" && element("p", { class: "request", title: whole }, element("code", {}, ...breakable(request))),
      ),
      element("p", { class: "asked" }),
      this.#variants(set, key),
    );
    if (focused === undefined) return;
    const buttons = [...node.querySelectorAll("button")];
    (buttons.find((button) => button.dataset.name === focused) ?? buttons[0])?.focus();
  }

  #variants(set, key) {
    const inUse = [set.selected, set.playing, ...set.wrappers];
    const isOpen = this.#opened.has(key);
    const pick = (name) => this.#steer("PUT", set.name, name);
    const shown = set.variants.filter((variant) => !variant.isBuiltIn || isOpen || inUse.includes(variant.name));
    const buttons = shown.map((variant) => variantButton(set, variant, pick));
    const more = { class: "plain", "data-name": "\nmore", "aria-expanded": String(isOpen), tabindex: -1 };
    const reset = { class: "plain", "data-name": "\nreset", tabindex: -1 };
    if (set.variants.some((variant) => variant.isBuiltIn)) {
      const text = isOpen ? "fewer" : "more…";
      buttons.push(element("button", { ...more, onclick: () => this.#toggle(key) }, text));
    }
    const reading = `Read the variants of ${set.name}`;
    const read = { class: "plain", "data-name": "\nread", tabindex: -1, "aria-label": reading };
    buttons.push(element("button", { ...read, onclick: () => this.#onRead(set) }, "read…"));
    if (set.isAdded) {
      const label = `Remove ${set.name} from this session`;
      const remove = { class: "plain", "data-name": "\nremove", tabindex: -1, "aria-label": label };
      buttons.push(element("button", { ...remove, onclick: () => this.#remove(set.name) }, "remove"));
    }
    if (set.selected !== undefined) {
      buttons.push(element("button", { ...reset, onclick: () => this.#steer("DELETE", set.name) }, "reset"));
    }
    const attributes = { class: "variants", role: "group", "aria-label": `Variants of ${set.name}` };
    const group = element("div", attributes, ...buttons);
    moveWithArrows(group, "button", ["ArrowLeft"], ["ArrowRight"]);
    return group;
  }

  #toggle(key) {
    if (!this.#opened.delete(key)) this.#opened.add(key);
    return this.refresh();
  }

  /** Down goes to what was found, and so does Enter. */
  async #pressedInSearch(event) {
    if (!["ArrowDown", "Enter"].includes(event.key) || event.isComposing) return;
    event.preventDefault();
    await this.refresh();
    entrance([...this.#list.children].find(isCard))?.focus();
  }

  /** Up and down go from set to set. */
  #pressed(event) {
    const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
    let card = event.target.closest(".set");
    do card = step && card?.[step];
    while (card && !isCard(card));
    const next = entrance(card);
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

const isCard = (node) => node.classList.contains("set");

/** The cassette of a set and the host that it is about, if it is about one. */
function groupOf(set) {
  const [, host = "any host"] = /:\/\/([^/?#\s]+)/.exec(set.request) ?? [];
  return `${set.isAdded ? "added to this session" : set.cassette} · ${host}`;
}

/** The name of a set, and what its request says besides: neither has the host, which its group has; and `whole`. */
function texts(set) {
  const join = (text) => [text, ...set.conditions].filter(Boolean).join(", ");
  const whole = join(set.request);
  const [, method, url] = /^(\S+) (\w+:\/\/\S+)$/.exec(set.request) ?? [];
  // Several methods, a pattern or a host alone.
  if (method === undefined) return { title: set.name, request: join(set.request.replace(originPattern, "")), whole };
  const { title, more } = partsOfName(set.name, method, url);
  return { title, request: join(title.startsWith(`${method} `) ? more : `${method} ${more}`), whole };
}

const originPattern = /\w+:\/\/[^/?#\s]+(?=\/)/;
const headings = new Map();

/** The cards, group by group, each under its heading. */
function grouped(cards) {
  const groups = Map.groupBy(cards, (card) => card.group);
  return [...groups].flatMap(([name, members]) => {
    if (!headings.has(name)) headings.set(name, element("li", { class: "cassette" }, element("h2", {}, name)));
    return [headings.get(name), ...members.map((card) => card.node)];
  });
}

const tabStop = '[tabindex="0"]';

/** The button of a set's card that the focus goes to first. */
const entrance = (card) => card?.querySelector('[aria-pressed="true"]') ?? card?.querySelector("button");
