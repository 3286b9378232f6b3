// Profiles, state and recording of a session, and its description.

import { call, Refresher, sessionPath } from "./api.js";
import { attempt, byId, element, focusInstead, moveWithArrows, setText } from "./dom.js";

export class Profiles {
  #session = null;
  #known = "";
  #list = byId("profiles-list");
  #refresher = new Refresher(() => this.#load());

  constructor() {
    moveWithArrows(this.#list, "button", ["ArrowUp"], ["ArrowDown"]);
  }

  open(session) {
    this.#session = session;
    this.#known = "";
    this.#list.replaceChildren();
    this.showInForce([]);
    setText(byId("profiles-note"), "");
  }

  refresh() {
    return attempt(() => this.#refresher.now());
  }

  /** Shows the profiles in force in the header, each with a way to revert it. */
  showInForce(profiles) {
    const names = profiles.map((profile) => profile.name ?? profile);
    const place = byId("profiles-in-force");
    if ([...place.children].map((button) => button.dataset.profile).join("\n") === names.join("\n")) return;
    const hadFocus = place.contains(document.activeElement);
    place.replaceChildren(...names.map((name) => {
      const revert = () => this.#apply(name, "DELETE");
      const label = `Revert the profile ${name}`;
      const attributes = { class: "tag", "data-profile": name, "aria-label": label, onclick: revert };
      const word = element("span", { class: "dim" }, "Profile ");
      return element("button", attributes, word, element("b", {}, name), " ×");
    }));
    if (hadFocus) byId("session-button").focus();
  }

  async #load() {
    const session = this.#session;
    if (session === null) return;
    const { profiles } = await call(sessionPath(session, "profiles"));
    const known = JSON.stringify(profiles);
    if (session !== this.#session || known === this.#known) return;
    this.#known = known;
    const focused = document.activeElement?.dataset.profile;
    this.#list.replaceChildren(...profiles.map((profile, index) => this.#item(profile, index)));
    [...this.#list.querySelectorAll("button")].find((button) => button.dataset.profile === focused)?.focus();
    setText(byId("profiles-note"), profiles.length === 0 ? "The cassettes of this session have no profiles." : "");
  }

  #item(profile, index) {
    const toggle = element("button", {
      class: "switch",
      role: "switch",
      "aria-checked": String(profile.isApplied),
      "aria-label": profile.name,
      "data-profile": profile.name,
      tabindex: index === 0 ? 0 : -1,
      onclick: () => this.#apply(profile.name, profile.isApplied ? "DELETE" : "PUT"),
    });
    const notes = [profile.only && `only ${profile.only.join(", ")}`, profile.isBuiltIn && "built in"].filter(Boolean);
    const about = element("span", { class: "dim" }, notes.join(", "));
    return element("li", {}, toggle, element("span", { class: "grow" }, profile.name), about);
  }

  #apply(name, method) {
    return attempt(async () => {
      await call(sessionPath(this.#session, "profiles", name), { method });
      await this.#refresher.now();
    });
  }
}

export class State {
  #session = null;
  #list = byId("state-list");

  constructor() {
    byId("state-form").addEventListener("submit", (event) => this.#add(event));
  }

  open(session) {
    this.#session = session;
    this.show({});
  }

  /** Shows these values; an input that somebody types in keeps its text. */
  show(values) {
    const rows = new Map([...this.#list.children].map((row) => [row.dataset.key, row]));
    const keys = Object.keys(values).sort();
    for (const [key, row] of rows) if (!(key in values)) row.remove();
    keys.forEach((key, index) => {
      const row = rows.get(key) ?? this.#row(key);
      if (this.#list.children[index] !== row) this.#list.insertBefore(row, this.#list.children[index] ?? null);
      const input = row.querySelector("input");
      if (input !== document.activeElement) input.value = values[key];
    });
    byId("state-note").hidden = keys.length > 0;
  }

  #row(key) {
    const input = element("input", {
      "aria-label": `Value of ${key}`,
      autocomplete: "off",
      onchange: () => this.#set(key, input.value),
    });
    const remove = { "aria-label": `Remove ${key}`, class: "plain", onclick: () => this.#set(key, null) };
    return element("li", { "data-key": key }, element("code", {}, key), input, element("button", remove, "×"));
  }

  async #add(event) {
    event.preventDefault();
    const form = event.target;
    const key = form.elements.key.value.trim();
    if (key === "") return;
    if (await this.#set(key, form.elements.value.value)) form.reset();
    form.elements.key.focus();
  }

  #set(key, value) {
    return attempt(async () => {
      const body = { state: { [key]: value } };
      const { state } = await call(sessionPath(this.#session, "state"), { method: "PATCH", body });
      this.show(state);
    });
  }
}

export class Recording {
  #session = null;
  #form = byId("recording-form");
  #onChange;

  /** @param onChange Called when a recording has begun or ended. */
  constructor(onChange) {
    this.#onChange = onChange;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#start(Object.fromEntries(new FormData(this.#form)));
    });
    byId("recording-stop").addEventListener("click", () => this.#stop());
  }

  open(session, deck) {
    this.#session = session;
    this.#form.elements.cassette.value = "";
    setText(byId("recording-result"), "");
    byId("recording-fields").disabled = !deck.allowsDialling;
    byId("recording-reason").hidden = deck.allowsDialling;
  }

  show({ recording, cassettes }) {
    this.#form.hidden = recording !== undefined;
    byId("recording-running").hidden = recording === undefined;
    byId("recording-mark").hidden = recording === undefined;
    const input = this.#form.elements.cassette;
    if (input.value === "" && input !== document.activeElement) input.value = cassettes[0] ?? "";
    if (recording === undefined) return;
    const verb = recording.mode === "record" ? "Recording" : "Appending to";
    const exchanges = recording.exchanges === undefined ? "" : `, exchanges so far: ${recording.exchanges}`;
    const variant = recording.variant === undefined ? "" : `, as the variant “${recording.variant}”`;
    setText(byId("recording-text"), `${verb} ${recording.cassette}${variant}${exchanges}.`);
    setText(byId("recording-failure"), recording.failure ?? "");
  }

  /** A recording that is saved as a variant rewrites that variant alone, so it has no mode of its own. */
  #start({ cassette, mode, variant }) {
    const recording = variant.trim() === "" ? { cassette, mode } : { cassette, variant: variant.trim() };
    return attempt(async () => {
      await call(sessionPath(this.#session, "recording"), { method: "PUT", body: recording });
      setText(byId("recording-result"), "");
      await this.#onChange();
      focusInstead(byId("recording-stop"));
    });
  }

  #stop() {
    return attempt(async () => {
      const saved = await call(sessionPath(this.#session, "recording"), { method: "DELETE" });
      setText(byId("recording-result"), this.#summary(saved));
      await this.#onChange();
      focusInstead(this.#form.elements.cassette);
    });
  }

  #summary(saved) {
    const change = saved.changed === false ? "is as it was" : "is saved";
    return [`${saved.cassette} ${change}.`, ...(saved.leftOut ?? []), ...(saved.lines ?? [])].join("\n");
  }
}
