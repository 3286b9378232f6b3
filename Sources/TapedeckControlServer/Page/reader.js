// The dialog that shows the answers of a variant before it is chosen, alone or beside another.

import { answerOf, wholeSet } from "./answers.js";
import { call, sessionPath } from "./api.js";
import { attempt, byId, element, setText, tell } from "./dom.js";

export class Reader {
  #session = null;
  #set = null;
  // The cassette of the set, and true if it was added to the session: `{ cassette, isAdded }`.
  #place = null;
  #maker;
  #dialog = byId("reader");
  #one = byId("reader-variant");
  #other = byId("reader-other");

  /** @param maker Edits variants. */
  constructor(maker) {
    this.#maker = maker;
    this.#one.addEventListener("change", () => this.#show());
    this.#other.addEventListener("change", () => this.#show());
    byId("reader-select").addEventListener("click", () => this.#select());
    byId("reader-edit").addEventListener("click", () => {
      this.#dialog.close();
      this.#maker.edit(this.#set, this.#one.selectedIndex, this.#place);
    });
  }

  open(session) {
    this.#session = session;
  }

  /** Shows the variants of this set of the list, beginning with the one that plays. */
  read({ name, cassette, playing, isAdded }) {
    return attempt(async () => {
      this.#place = { cassette, isAdded };
      this.#set = await wholeSet(this.#session, name, cassette);
      setText(byId("reader-title"), name);
      const option = (variant, index) => element("option", { value: index }, variant.name);
      const options = () => this.#set.variants.map(option);
      this.#one.replaceChildren(...options());
      this.#other.replaceChildren(element("option", { value: "" }, "nothing"), ...options());
      this.#one.selectedIndex = Math.max(0, this.#set.variants.findIndex((variant) => variant.name === playing));
      this.#show();
      this.#dialog.showModal();
    });
  }

  #show() {
    const one = this.#set.variants[Number(this.#one.value)];
    const other = this.#other.value === "" ? undefined : this.#set.variants[Number(this.#other.value)];
    const shown = [one, other].filter(Boolean);
    const texts = shown.map(linesOf);
    const panes = shown.map((variant, index) => pane(variant.name, texts[index], texts[1 - index]));
    byId("reader-panes").replaceChildren(...panes);
    byId("reader-edit").disabled = one.takes?.[0] === undefined;
  }

  #select() {
    const variant = this.#one.selectedOptions[0].textContent;
    return attempt(async () => {
      const path = sessionPath(this.#session, "selections", this.#set.name);
      await call(path, { method: "PUT", body: { variant } });
      this.#dialog.close();
      tell(`${this.#set.name} answers with “${variant}” from now on.`);
    });
  }
}

/** A variant line by line: what it does besides answering, and each of its takes. */
function linesOf({ name, takes = [], ...behaviour }) {
  const lines = Object.keys(behaviour).length > 0 ? JSON.stringify(behaviour, null, 2).split("\n") : [];
  for (const [index, take] of takes.entries()) {
    const { status, headers, body, ...rest } = take;
    const answer = answerOf(take);
    if (takes.length > 1) lines.push(`— take ${index + 1} of ${takes.length}`);
    if (status !== undefined) lines.push(`status ${status}`);
    for (const [key, value] of Object.entries(rest)) lines.push(`${key} ${JSON.stringify(value)}`);
    lines.push(...answer.headers.map(([field, value]) => `${field}: ${value}`));
    if (answer.note !== "") lines.push(answer.note);
    if (answer.body !== "") lines.push("", ...answer.body.split("\n"));
  }
  return lines;
}

/** The lines of a variant; those that the other one does not have are marked. */
function pane(name, lines, others) {
  const known = others === undefined ? null : new Set(others);
  const nodes = lines.map((line) => {
    const isOther = known !== null && line !== "" && !known.has(line);
    return element(isOther ? "mark" : "span", {}, `${line}\n`);
  });
  return element("section", { "aria-label": name }, element("h3", {}, name), element("pre", { tabindex: 0 }, ...nodes));
}
