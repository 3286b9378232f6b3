// Files of other tools: into the deck's folder as cassettes, and out of it.

import { call, download } from "./api.js";
import { attempt, byId, count, element, tell } from "./dom.js";

// A person reads no more than this; `tapedeck import` prints all.
const limit = 20;

export class Files {
  #import = byId("import-form");
  #export = byId("export-form");
  #results = byId("import-results");
  #hint = byId("drop-hint");
  #onSession;

  /** @param onSession Called with the id of a session that was made for what was imported. */
  constructor(onSession) {
    this.#onSession = onSession;
    const input = byId("import-file");
    byId("import-button").addEventListener("click", () => input.click());
    input.addEventListener("change", async () => {
      await this.#take([...input.files]);
      input.value = "";
    });
    this.#export.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#give(Object.fromEntries(new FormData(this.#export)));
    });
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
      document.addEventListener(name, (event) => this.#dragged(event));
    }
  }

  /** The cassettes of the session can be exported. */
  show({ cassettes }) {
    const select = this.#export.elements.cassette;
    if (cassettes.join("\n") === [...select.options].map((option) => option.value).join("\n")) return;
    select.replaceChildren(...cassettes.map((name) => element("option", { value: name }, name)));
    this.#export.hidden = cassettes.length === 0;
  }

  #dragged(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    // Leaving without a target means leaving the window.
    this.#hint.hidden = event.type === "drop" || (event.type === "dragleave" && event.relatedTarget === null);
    if (event.type === "drop") this.#take([...event.dataTransfer.files]);
  }

  async #take(files) {
    this.#results.replaceChildren();
    const append = this.#import.elements.append.checked;
    for (const file of files) {
      await attempt(async () => {
        const query = new URLSearchParams({ name: file.name, append });
        this.#told(file.name, await call(`cassettes/import?${query}`, { method: "POST", file }));
      });
    }
  }

  #told(name, report) {
    const [cassette] = report.cassettes;
    const problems = [...report.unread, ...report.leftOut, ...report.notes];
    const secrets = cassette?.secrets.length ? ` Secrets have become ${count(cassette.secrets.length, "placeholder")}.` : "";
    const text =
      cassette === undefined
        ? `${name}: nothing to play.`
        : `${name}: ${cassette.played} of ${count(cassette.entries, "entry", "entries")} are in ${cassette.path}.${secrets}`;
    const more = problems.length - limit;
    const places = problems.slice(0, limit).map(({ position, number, reason }) => {
      return element("li", {}, number === 0 ? reason : `${position} ${number}: ${reason}`);
    });
    if (more > 0) places.push(element("li", {}, `and ${more.toLocaleString("en")} more`));
    const play = { onclick: () => this.#play(cassette.path) };
    this.#results.append(
      element(
        "div",
        {},
        element("p", {}, text),
        places.length > 0 && element("ul", {}, ...places),
        cassette !== undefined && element("button", play, `Play ${cassette.path} in a new session`),
      ),
    );
    tell(text, cassette === undefined ? "problem" : "note");
  }

  #play(cassette) {
    return attempt(async () => {
      const session = await call("sessions", { method: "POST", body: { name: cassette, cassettes: [cassette] } });
      this.#onSession(session.id);
    });
  }

  #give({ cassette, format }) {
    return attempt(async () => {
      const path = `cassettes/${encodeURIComponent(cassette)}/export?${new URLSearchParams({ format })}`;
      const { blob, name, leftOut } = await download(path);
      const address = URL.createObjectURL(blob);
      element("a", { href: address, download: name }).click();
      URL.revokeObjectURL(address);
      if (leftOut > 0) tell(`${count(leftOut, "thing")} of ${cassette} cannot be said in ${name}.`);
    });
  }
}
