// The dialog that makes a response set of this session, for a request that came.

import { answerOf, wholeSet } from "./answers.js";
import { call, sessionPath } from "./api.js";
import { byId, element, setText, tell } from "./dom.js";
import { headersForTape, nameOf } from "./copies.js";

// Which field of the form a JSON pointer into the set is about; the first that fits.
const places = [
  [/^\/request\/method/, "method"],
  [/^\/request/, "url"],
  [/\/takes\/\d+\/status/, "status"],
  [/\/takes\/\d+\/headers/, "headers"],
  [/\/takes\/\d+\/body/, "body"],
  [/\/variants\/\d+\/name/, "variant"],
  [/^\/name/, "name"],
];

export class Maker {
  #session = null;
  #misses = [];
  // The set and the number of its variant that is edited, `{ set, index }`; null for a new set.
  #edited = null;
  // The entry whose answer is there to start from.
  #answer = null;
  // Counts the answers that the form began with, as those from a cassette take a moment to come.
  #turn = 0;
  #dialog = byId("maker");
  #form = byId("maker-form");

  constructor() {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#save();
    });
    byId("maker-cancel").addEventListener("click", () => this.#dialog.close());
    byId("maker-write").addEventListener("click", () => this.#write());
    this.#form.elements.start.addEventListener("change", () => this.#begin());
  }

  open(session) {
    this.#session = session;
  }

  /** Asks for the answer to requests like this one: from what answered it, from a near miss, or from nothing. */
  make(entry) {
    this.#edited = null;
    const { name, method, url, start } = this.#form.elements;
    const address = entry.shownURL ?? entry.url;
    this.#show([]);
    this.#form.reset();
    this.#fix(false);
    name.value = nameOf(entry.method, address);
    method.value = entry.method;
    url.value = address.split("#")[0];
    this.#misses = entry.unmatched?.nearest ?? [];
    this.#answer = entry.unmatched === undefined ? entry : null;
    const options = this.#misses.map((miss, index) => element("option", { value: index }, `what ${miss.set} answers`));
    if (this.#answer !== null) options.push(element("option", { value: "answer" }, "the answer that came"));
    start.replaceChildren(...options, element("option", { value: "scratch" }, "an empty answer"));
    this.#dialog.showModal();
    return this.#begin();
  }

  /** Edits the first answer of a variant; the set takes the place of the one that it is a copy of, in this session. */
  edit(set, index, { cassette, isAdded }) {
    const variant = set.variants[index];
    const { name, method, url, variant: title, start } = this.#form.elements;
    this.#show([]);
    this.#form.reset();
    this.#edited = { set, index, cassette };
    this.#turn++;
    name.value = set.name;
    method.value = [set.request.method ?? ""].flat().join(", ");
    url.value = set.request.url ?? set.request.urlTemplate ?? set.request.urlPattern ?? set.request.host ?? "";
    title.value = variant.name;
    start.replaceChildren(element("option", {}, "the answer on tape"));
    this.#fill(answerOf(variant.takes[0]));
    this.#fix(true);
    byId("maker-write").hidden = isAdded;
    this.#dialog.showModal();
    this.#form.elements.status.focus();
  }

  /** What an edit leaves as it is cannot be typed over. */
  #fix(isFixed) {
    for (const name of ["name", "method", "url", "start", "variant"]) this.#form.elements[name].disabled = isFixed;
    byId("maker-write").hidden = !isFixed;
    setText(byId("maker-title"), isFixed ? "Edit an answer" : "A response set of this session");
    setText(byId("maker-save"), isFixed ? "Use in this session" : "Answer with it");
    byId("maker-note").hidden = isFixed;
  }

  /** Fills in the answer to start from. */
  async #begin() {
    const { start } = this.#form.elements;
    const turn = ++this.#turn;
    this.#fill({ status: 200, headers: [["content-type", "application/json"]], body: "{}" });
    if (start.value === "answer") {
      const { response, status } = this.#answer;
      const headers = headersForTape(response?.shownHeaders ?? response?.headers ?? []);
      this.#fill({ status: status ?? 200, headers, body: response?.body?.text ?? "" });
    } else if (start.value !== "scratch") {
      try {
        const answer = await this.#take(this.#misses[Number(start.value)]);
        // Another answer may have been chosen meanwhile.
        if (turn === this.#turn) this.#fill(answer);
      } catch (error) {
        if (turn === this.#turn) this.#show([{ pointer: "", detail: `That answer cannot be read from its cassette: ${error.message}` }]);
      }
    }
  }

  /** The first take of what the set of a near miss plays unless something else is selected. */
  async #take({ set: name, cassette }) {
    const set = await wholeSet(this.#session, name, cassette);
    const variant = set.variants.find((one) => one.name === set.selected) ?? set.variants[0];
    return answerOf(variant.takes?.[0] ?? {});
  }

  #fill({ status, headers, body }) {
    const fields = this.#form.elements;
    fields.status.value = status ?? 200;
    fields.headers.value = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
    fields.body.value = body;
  }

  /** The answer in the form; undefined if it is none, which is shown. */
  #answerInForm() {
    const { status, headers, body } = this.#form.elements;
    const take = { status: Number(status.value) };
    const lines = headers.value.split("\n").filter((line) => line.trim() !== "");
    const wrong = lines.find((line) => !/^[^:\s]+:/.test(line));
    if (wrong !== undefined) {
      this.#show([{ pointer: "/takes/0/headers", detail: `“${wrong}” is not NAME: VALUE` }]);
      return undefined;
    }
    if (lines.length > 0) {
      take.headers = lines.map((line) => {
        const [, field, value] = /^([^:]+):\s*(.*)$/.exec(line);
        return { [field]: value };
      });
    }
    if (body.value !== "") take.body = { text: body.value };
    return take;
  }

  /** Writes the answer into the cassette that the edited set is in. */
  async #write() {
    const take = this.#answerInForm();
    if (take === undefined) return;
    const { set, index, cassette } = this.#edited;
    const path = sessionPath(this.#session, "sets", set.name, "variants", set.variants[index].name, "takes", "1");
    try {
      await call(`${path}?${new URLSearchParams({ cassette })}`, { method: "PUT", body: take });
      this.#dialog.close();
      tell(`The answer is in the cassette ${cassette}.`);
    } catch (error) {
      const problems = error.errors?.length > 0 ? error.errors : [{ pointer: "", detail: error.message }];
      this.#show(problems.map(({ pointer, detail }) => ({ pointer: `/takes/0${pointer}`, detail })));
    }
  }

  async #save() {
    const { name, method, url, variant } = this.#form.elements;
    const take = this.#answerInForm();
    if (take === undefined) return;
    const request = { url: url.value.trim() };
    if (method.value.trim() !== "") request.method = method.value.trim();
    const made = { request, variants: [{ name: variant.value.trim(), takes: [take] }] };
    const set = this.#edited === null ? made : this.#withTake(take);
    try {
      await call(sessionPath(this.#session, "added", name.value.trim()), { method: "PUT", body: set });
      this.#dialog.close();
      tell(`${name.value.trim()} answers in this session from now on.`);
    } catch (error) {
      this.#show(error.errors?.length > 0 ? error.errors : [{ pointer: "", detail: error.message }]);
    }
  }

  /** The set that is edited, with this in place of its answer's status, headers and body. */
  #withTake(take) {
    const { set, index } = this.#edited;
    const copy = structuredClone(set);
    const { status, headers, body, ...rest } = copy.variants[index].takes[0];
    copy.variants[index].takes[0] = { ...rest, ...take };
    delete copy.name;
    return copy;
  }

  /** Shows what is wrong, each at its field; what fits none is shown below them all. */
  #show(problems) {
    const texts = new Map();
    for (const { pointer, detail } of problems) {
      const field = places.find(([pattern]) => pattern.test(pointer))?.[1] ?? "";
      texts.set(field, [...(texts.get(field) ?? []), detail]);
    }
    for (const note of this.#form.querySelectorAll(".failure")) {
      const field = this.#form.elements[note.dataset.field];
      setText(note, (texts.get(note.dataset.field) ?? []).join("\n"));
      field?.setAttribute("aria-invalid", String(texts.has(note.dataset.field)));
    }
    const [first] = texts.keys();
    this.#form.elements[first]?.focus();
  }
}
