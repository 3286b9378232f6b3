// New sessions: the dialog with cassettes, mode and profile, and a first one by one click.

import { call } from "./api.js";
import { rememberToken } from "./connect.js";
import { quoted } from "./copies.js";
import { attempt, byId, element, setText } from "./dom.js";

// As many as a button has room for.
const namesShown = 3;
const usualControlURL = "http://127.0.0.1:4748";

export class NewSession {
  #dialog = byId("new-session");
  #form = byId("new-session-form");
  #list = byId("new-session-cassettes");
  // The cassettes of a first session.
  #first = [];
  #onMade;

  /** @param onMade Called with the id of the session that was made. */
  constructor(onMade) {
    this.#onMade = onMade;
    byId("new-session-button").addEventListener("click", () => this.#open());
    byId("first-session-button").addEventListener("click", () => attempt(() => this.#begin({ cassettes: this.#first })));
    byId("new-session-cancel").addEventListener("click", () => this.#dialog.close());
    this.#list.addEventListener("change", () => this.#loadProfiles());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
  }

  /** Offers a session with all cassettes of the deck's folder, and the command for one with the first of them. */
  offerFirst({ controlURL }) {
    return attempt(async () => {
      const { cassettes } = await call("cassettes");
      this.#first = cassettes.filter(({ problem }) => problem === undefined).map(({ name }) => name);
      const isEmpty = this.#first.length === 0;
      const all = this.#first.length > namesShown ? `all ${this.#first.length} cassettes` : this.#first.join(", ");
      setText(byId("first-session-button"), isEmpty ? "Make a session without cassettes" : `Make a session of ${all}`);
      const words = ["tapedeck session create", ...this.#first.slice(0, 1).map(quoted)];
      if (controlURL !== usualControlURL) words.push("--deck", controlURL);
      setText(byId("first-session-command"), words.join(" "));
      const note = "The deck's folder has no cassettes yet. The panel Session records one.";
      setText(byId("first-session-note"), isEmpty ? note : "");
    });
  }

  async #open() {
    byId("session-picker").hidePopover();
    this.#form.reset();
    this.#list.replaceChildren();
    this.#showProblem("");
    this.#showProfiles([]);
    this.#dialog.showModal();
    try {
      const { cassettes } = await call("cassettes");
      this.#list.replaceChildren(...cassettes.map((cassette) => this.#item(cassette)));
      setText(byId("new-session-note"), cassettes.length === 0 ? "The deck's folder has no cassettes." : "");
    } catch (error) {
      this.#showProblem(error.message);
    }
  }

  #item({ name, responseSets, problem }) {
    const isBroken = problem !== undefined;
    const input = element("input", { type: "checkbox", name: "cassette", value: name, disabled: isBroken });
    const about = problem ?? `${responseSets} response sets`;
    return element("li", {}, element("label", {}, input, name, element("span", { class: "dim" }, about)));
  }

  #chosen() {
    return new FormData(this.#form).getAll("cassette");
  }

  /** Offers the profiles of the cassettes that are chosen. */
  async #loadProfiles() {
    const names = this.#chosen();
    const load = (name) => call(`cassettes/${encodeURIComponent(name)}`).catch(() => ({}));
    const files = await Promise.all(names.map(load));
    if (names.join() !== this.#chosen().join()) return;
    this.#showProfiles([...new Set(files.flatMap((file) => Object.keys(file.profiles ?? {})))]);
  }

  #showProfiles(names) {
    const select = this.#form.elements.profile;
    const before = select.value;
    const options = names.map((name) => element("option", { value: name }, name));
    select.replaceChildren(element("option", { value: "" }, "none"), ...options);
    if (names.includes(before)) select.value = before;
  }

  async #make() {
    const { name, mode, profile } = this.#form.elements;
    const cassettes = this.#chosen();
    const body = { mode: mode.value };
    if (name.value.trim() !== "") body.name = name.value.trim();
    if (cassettes.length > 0) body.cassettes = cassettes;
    if (profile.value !== "") body.profiles = [profile.value];
    try {
      await this.#begin(body);
    } catch (error) {
      this.#showProblem(error.message);
    }
  }

  async #begin(body) {
    const session = await call("sessions", { method: "POST", body });
    rememberToken(session.id, session.token);
    // Closing moves the focus, so it comes before what does, too.
    this.#dialog.close();
    this.#onMade(session.id);
  }

  #showProblem(text) {
    setText(byId("new-session-problem"), text);
  }
}
