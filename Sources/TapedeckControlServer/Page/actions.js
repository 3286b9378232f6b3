// The ways onward from a request: to its response set, to another answer, to other places.

import { call, sessionPath } from "./api.js";
import { attempt, copy, element, moveWithArrows, setText, tell } from "./dom.js";
import { cassetteYAML, curl } from "./copies.js";
import { failingForm } from "./failing.js";
import { variantButton } from "./variants.js";

export class Actions {
  #session = null;
  #maker;
  #onSet;
  #onFailing;

  /**
   * @param maker Makes response sets.
   * @param onSet Called with the name of a response set to show.
   * @param onFailing Called when requests like one are answered with an error from now on.
   */
  constructor(maker, onSet, onFailing) {
    this.#maker = maker;
    this.#onSet = onSet;
    this.#onFailing = onFailing;
  }

  open(session) {
    this.#session = session;
    this.#maker.open(session);
  }

  /** The ways to have the entry as text for other places. */
  copies(entry) {
    return [
      element("span", { class: "dim", "aria-hidden": "true" }, "Copy"),
      element("button", { "aria-label": "Copy as curl", onclick: () => copy(curl(entry)) }, "curl"),
      element("button", { "aria-label": "Copy URL", onclick: () => copy(entry.url) }, "URL"),
      element("button", { "aria-label": "Copy as cassette YAML", onclick: () => this.#copyYAML(entry) }, "YAML"),
    ];
  }

  /** The form that has an error answer requests like this one. */
  failing(entry) {
    return failingForm(this.#session, entry, this.#onFailing);
  }

  /** The button that makes a response set for requests like this one. */
  maker(entry) {
    const text = entry.played === undefined ? "Make a response set…" : "Make another set…";
    return element("button", { onclick: () => this.#maker.make(entry) }, text);
  }

  /** What requests like this one may be answered with next. */
  next(entry) {
    const { played } = entry;
    const isAnswered = played !== undefined || ["recorded", "passedThrough"].includes(entry.outcome);
    const toSet = played && element("button", { onclick: () => this.#onSet(played.set) }, "Response set");
    const buttons = element("p", { class: "actions" }, toSet, this.maker(entry));
    return [played && this.#answers(played), buttons, isAnswered && this.#keep(entry)].filter(Boolean);
  }

  /** Saves the answer as a variant of the set that stands for the request, in its cassette. */
  #keep(entry) {
    const input = element("input", { placeholder: "Variant", "aria-label": "Name of the variant", autocomplete: "off" });
    const note = element("p", { class: "failure", role: "alert" });
    const save = async (event) => {
      event.preventDefault();
      setText(note, "");
      try {
        const body = { variant: input.value.trim(), numbers: [entry.number] };
        const saved = await call(sessionPath(this.#session, "keep"), { method: "POST", body });
        const what = saved.changed === false ? "is as it was" : `has the answer as “${saved.variant}”`;
        tell([`${saved.cassette} ${what}.`, ...(saved.lines ?? []), ...(saved.leftOut ?? [])].join("\n"));
        input.value = "";
      } catch (error) {
        setText(note, error.message);
        input.focus();
      }
    };
    const button = element("button", {}, "Save as a variant");
    return element("form", { class: "keep", onsubmit: save }, input, button, note);
  }

  #copyYAML(entry) {
    return attempt(async () => {
      const hidden = async (text) => {
        const path = sessionPath(this.#session, "texts");
        return (await call(path, { method: "POST", body: { texts: [text] } })).texts[0];
      };
      await copy(await cassetteYAML(entry, hidden));
      if (entry.response?.body?.isCut) tell("The body in it is not whole: the page has only its beginning.");
    });
  }

  /** The variants of the set that answered, to pick the one that answers next. */
  #answers(played) {
    const group = element("div", { class: "variants", role: "group", "aria-label": `Variants of ${played.set}` });
    moveWithArrows(group, "button", ["ArrowLeft"], ["ArrowRight"]);
    attempt(() => this.#fill(group, played));
    return group;
  }

  async #fill(group, { set: name, cassette }) {
    const query = new URLSearchParams({ search: name, limit: 1_000 });
    const { sets } = await call(`${sessionPath(this.#session, "sets")}?${query}`);
    const named = sets.filter((set) => set.name === name);
    // A set that was added under the name answers before the one on tape.
    const set = named.find((one) => one.isAdded || one.cassette === cassette) ?? named[0];
    if (set === undefined) throw new Error(`The session no longer has the response set ${name}.`);
    const focused = group.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
    const pick = (variant) => attempt(async () => {
      const path = sessionPath(this.#session, "selections", name);
      await call(path, { method: "PUT", body: { variant } });
      tell(`${name} answers with “${variant}” from now on.`);
      await this.#fill(group, { set: name, cassette });
    });
    const buttons = set.variants.map((variant) => variantButton(set, variant, pick));
    group.replaceChildren(...buttons);
    const stop = buttons.find((button) => button.dataset.name === (focused ?? set.playing)) ?? buttons[0];
    if (stop !== undefined) stop.tabIndex = 0;
    if (focused !== undefined) stop?.focus();
  }
}
