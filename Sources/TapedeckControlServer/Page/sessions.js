// The list of sessions to pick from. It is followed only while it is open: a browser has few connections to one host.

import { call, follow, Refresher, sessionPath } from "./api.js";
import { attempt, byId, confirm, count, element, moveWithArrows, setText, tell } from "./dom.js";

const limit = 100;

export class Sessions {
  #current = null;
  #sessions = [];
  #following = null;
  #picker = byId("session-picker");
  #list = byId("session-list");
  #search = byId("session-search");
  #refresher = new Refresher(() => this.#load());
  #onPick;

  /** @param onPick Called with the id of the session that was picked. */
  constructor(onPick) {
    this.#onPick = onPick;
    this.#picker.addEventListener("toggle", (event) => (event.newState === "open" ? this.#opened() : this.#closed()));
    this.#search.addEventListener("input", () => attempt(() => this.#refresher.now()));
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") this.#list.querySelector("button")?.focus();
    });
    moveWithArrows(this.#list, ".pick", ["ArrowUp"], ["ArrowDown"]);
  }

  show(current) {
    this.#current = current;
    setText(byId("session-name"), current ?? "none");
    this.#show();
  }

  async #opened() {
    this.#following = new AbortController();
    const { signal } = this.#following;
    await attempt(() => this.#refresher.now());
    await attempt(() =>
      follow(() => "events", { signal, onEvent: () => this.#refresher.soon(), onState: () => this.#refresher.soon() }),
    );
  }

  #closed() {
    this.#following?.abort();
    this.#search.value = "";
  }

  async #load() {
    const query = new URLSearchParams({ search: this.#search.value.trim(), limit });
    const { sessions, total } = await call(`sessions?${query}`);
    this.#sessions = sessions.sort((one, other) => (other.id === "default") - (one.id === "default"));
    const more = `The first ${sessions.length} of ${count(total, "session")}; search to see others.`;
    setText(byId("session-note"), total === 0 ? "There is no such session." : sessions.length < total ? more : "");
    this.#show();
  }

  #show() {
    const focused = document.activeElement?.dataset.session;
    this.#list.replaceChildren(...this.#sessions.map((session, index) => this.#item(session, index)));
    [...this.#list.querySelectorAll(".pick")].find((button) => button.dataset.session === focused)?.focus();
  }

  #item(session, index) {
    const isCurrent = session.id === this.#current;
    const pick = {
      class: "pick",
      "data-session": session.id,
      "aria-current": isCurrent && "true",
      tabindex: index === 0 ? 0 : -1,
      onclick: () => {
        this.#picker.hidePopover();
        this.#onPick(session.id);
      },
    };
    const facts = [session.mode, ...session.cassettes].join(" · ");
    const numbers = [
      count(session.requests, "request"),
      session.unmatchedRequests > 0 && `${session.unmatchedRequests} unmatched`,
      `idle ${session.idleSeconds} s`,
    ];
    const end = { class: "plain", "aria-label": `End ${session.id}`, onclick: () => this.end(session.id) };
    return element(
      "li",
      {},
      element(
        "button",
        pick,
        element("b", {}, session.id),
        element("span", { class: "dim" }, facts),
        element("span", { class: "dim" }, numbers.filter(Boolean).join(" · ")),
      ),
      session.id !== "default" && element("button", end, "end"),
    );
  }

  /** Ends a session, after a question. */
  async end(id) {
    this.#picker.hidePopover();
    if (!(await confirm(`End the session ${id}? Its clients get an error from then on.`, "End it"))) return;
    await attempt(async () => {
      const report = await call(sessionPath(id), { method: "DELETE" });
      const numbers = `${report.played} played, ${report.forwarded} live, ${report.unmatchedRequests} unmatched`;
      tell(`The session ${id} has ended: ${numbers}.`);
    });
  }
}
