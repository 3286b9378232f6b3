// The live page: which session it shows, and what its parts hear of it.

import { call, follow, sessionPath } from "./api.js";
import { Connect } from "./connect.js";
import { attempt, byId, moveWithArrows, setText, tell } from "./dom.js";
import { Detail } from "./detail.js";
import { Files } from "./files.js";
import { Maker } from "./maker.js";
import { NewSession } from "./newsession.js";
import { Reader } from "./reader.js";
import { Sessions } from "./sessions.js";
import { Sets } from "./sets.js";
import { Profiles, Recording, State } from "./steering.js";
import { Traffic } from "./traffic.js";

// The width from which on traffic is beside the steering and needs no tab; page.css has the same.
const wide = matchMedia("(min-width: 900px)");

const retryDelay = 1_000;

class Page {
  #deck = null;
  #session = null;
  #created = null;
  #revision = -1;
  #following = null;
  #lastEvent = 0;
  #connect = new Connect();
  #maker = new Maker();
  #reader = new Reader(this.#maker);
  #sets = new Sets(
    () => this.#traffic.nearMisses,
    (sets) => this.#connect.useOriginOf(sets),
    (set) => this.#reader.read(set),
  );
  #profiles = new Profiles();
  #state = new State();
  #recording = new Recording(() => this.#refresh());
  #files = new Files((id) => this.#go(id));
  #sessions = new Sessions((id) => this.#go(id));
  #newSession = new NewSession((id) => this.#made(id));
  #detail = new Detail(
    () => this.#close(),
    this.#maker,
    (name) => this.#showSet(name),
  );
  #traffic = new Traffic(
    (number) => this.#chose(number),
    () => this.#detail.focus(),
  );

  async start() {
    this.#listen();
    await attempt(async () => {
      await this.#loadDeck();
      this.#route();
    });
  }

  /** Asks until there is an answer: without one there is nothing to show. */
  async #loadDeck() {
    for (;;) {
      try {
        this.#deck = await call("deck");
        break;
      } catch (error) {
        if (error.status !== undefined) throw error;
        this.#showLink("reconnecting", error.message);
        await new Promise((resolve) => setTimeout(resolve, retryDelay));
      }
    }
    setText(byId("deck-version"), `Tapedeck ${this.#deck.version}, proxy ${this.#deck.proxyURL}`);
  }

  #listen() {
    window.addEventListener("hashchange", () => this.#route());
    document.addEventListener("visibilitychange", () => this.#follow());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    byId("unmatched").addEventListener("click", () => {
      this.#select("traffic");
      this.#traffic.filterBy("unmatched");
    });
    byId("dead-retry").addEventListener("click", () => this.#follow());
    byId("traffic-clear").addEventListener("click", () => this.#clearJournal());
    byId("session-end").addEventListener("click", () => this.#sessions.end(this.#session));
    byId("session-reset").addEventListener("click", () => this.#resetSession());
    for (const tab of tabs()) tab.addEventListener("click", () => this.#select(tab.dataset.panel));
    moveWithArrows(byId("tabs"), '[role="tab"]', ["ArrowLeft"], ["ArrowRight"]);
    wide.addEventListener("change", () => this.#select(selectedPanel()));
    this.#select(selectedPanel());
  }

  // MARK: Which session

  #go(id) {
    location.hash = new URLSearchParams({ session: id });
  }

  /** Shows a session that was made here, and how a client is pointed at it. */
  #made(id) {
    this.#go(id);
    this.#select("session");
    byId("tab-session").focus();
  }

  #showSet(name) {
    this.#select("sets");
    return this.#sets.reveal(name);
  }

  /** Shows the session, and the request, that the address names. */
  #route() {
    const address = new URLSearchParams(location.hash.slice(1));
    const id = address.get("session") ?? (this.#deck.requiresSession ? null : "default");
    if (id !== this.#session || id === null) this.#open(id);
    const number = Number(address.get("request")) || null;
    if (number !== this.#traffic.chosen) this.#traffic.choose(number);
  }

  /** Shows that session from its beginning; the first event of its stream brings what is known of it. */
  #open(id) {
    this.#session = id;
    this.#created = null;
    this.#revision = -1;
    this.#lastEvent = 0;
    this.#traffic.clear();
    this.#sessions.show(id);
    this.#state.open(id);
    this.#recording.open(id, this.#deck);
    this.#detail.open(id);
    this.#profiles.open(id);
    this.#sets.open(id);
    this.#reader.open(id);
    if (id !== null) this.#connect.open(id, this.#deck);
    byId("session-end").hidden = id === null || id === "default";
    document.title = id === null ? "Tapedeck" : `${id} – Tapedeck`;
    this.#showGone(id === null ? "This deck plays only in sessions." : "");
    byId("first-session").hidden = id !== null;
    if (id === null) {
      this.#showLink("no session");
      this.#newSession.offerFirst(this.#deck);
    }
    this.#follow();
  }

  /** The deck was started anew: numbers of requests begin at 1 again, and it may be another deck altogether. */
  #openAnew() {
    this.#following.abort();
    return attempt(async () => {
      await this.#loadDeck();
      this.#traffic.choose(null);
      this.#open(this.#session);
    });
  }

  /** Says that there is no session to show, and why; an empty text says that there is one. */
  #showGone(text) {
    setText(byId("gone-text"), text);
    byId("gone").hidden = text === "";
    byId("panels").inert = text !== "";
  }

  // MARK: What happens

  /**
   * Follows the session from the last known entry while the page is visible. A browser has few connections to one
   * host, and hidden pages would use them up.
   */
  async #follow() {
    this.#following?.abort();
    if (this.#session === null || document.hidden) return;
    const following = (this.#following = new AbortController());
    const id = this.#session;
    try {
      await follow((last) => `${sessionPath(id, "events")}?after=${last ?? this.#lastEvent}`, {
        signal: following.signal,
        onEvent: (name, data, last) => this.#heard(name, data, last),
        onState: (state, reason) => this.#showLink(state, reason),
      });
    } catch (error) {
      if (!following.signal.aborted) this.#ended(error.message);
    }
  }

  #heard(name, data, last) {
    this.#lastEvent = last ?? this.#lastEvent;
    if (name === "session") this.#showSession(data);
    // Entries from before the page was opened are no gap in it.
    if (name === "missed" && this.#lastEvent > 0) {
      tell(`Requests that the journal dropped before this page had them: ${data.count.toLocaleString("en")}.`);
    }
    if (name === "ended") this.#ended(`The session ${this.#session} has ended.`);
    if (name !== "entry") return;
    this.#traffic.put(data);
    this.#detail.changed(data);
    this.#sets.refreshSoon();
  }

  #ended(reason) {
    this.#following.abort();
    this.#showLink("ended", reason);
    this.#showGone(reason);
  }

  #showLink(state, reason = "") {
    const link = byId("link");
    // A connection that breaks once may be back at once.
    if (state !== "reconnecting") this.#showDead(false);
    else if (link.dataset.state === "reconnecting") this.#showDead(true);
    link.dataset.state = state;
    link.title = reason;
    setText(link, state);
  }

  #showDead(isDead) {
    const banner = byId("dead");
    if (banner.hidden === !isDead) return;
    const since = new Date().toLocaleTimeString();
    const text = `Has it ended? What you see is from before ${since}. The page goes on by itself when a deck is at`;
    setText(byId("dead-text"), isDead ? `${text} ${location.host} again.` : "");
    banner.hidden = !isDead;
  }

  async #refresh() {
    const id = this.#session;
    const session = await call(sessionPath(id));
    if (id === this.#session) this.#showSession(session);
  }

  #showSession(session) {
    if (session.created !== (this.#created ?? session.created)) return this.#openAnew();
    this.#created = session.created;
    setText(byId("played"), `${session.played} played`);
    setText(byId("forwarded"), `${session.forwarded} live`);
    setText(byId("unmatched"), `${session.unmatchedRequests} unmatched`);
    byId("unmatched").dataset.any = session.unmatchedRequests > 0;
    setText(byId("mode"), session.mode);
    setText(byId("fact-mode"), session.mode);
    setText(byId("fact-cassettes"), session.cassettes.join(", ") || "none");
    setText(byId("fact-unmatched"), session.unmatched.policy);
    setText(byId("fact-created"), new Date(session.created).toLocaleString());
    setText(byId("fact-port"), session.port === undefined ? "none of its own" : String(session.port));
    this.#state.show(session.state);
    this.#recording.show(session);
    this.#files.show(session);
    this.#sets.showSelections(session.selections);
    this.#profiles.showInForce(session.profiles);
    if (session.revision === this.#revision) return;
    this.#revision = session.revision;
    this.#sets.refresh();
    this.#profiles.refresh();
  }

  // MARK: What the user does

  #chose(number) {
    this.#detail.show(number);
    const address = new URLSearchParams({ session: this.#session });
    if (number !== null) address.set("request", number);
    history.replaceState(null, "", `#${address}`);
  }

  #clearJournal() {
    return attempt(async () => {
      await call(sessionPath(this.#session, "journal"), { method: "DELETE" });
      this.#traffic.choose(null);
      this.#traffic.clear();
    });
  }

  #resetSession() {
    return attempt(async () => {
      await call(sessionPath(this.#session, "reset"), { method: "POST" });
      await this.#refresh();
      tell("Selections, profiles, positions of takes and state are as at the beginning.");
    });
  }

  /** Shows a panel. Where there is room for two, traffic is always there and the tabs are for the others. */
  #select(panel) {
    const shown = wide.matches && panel === "traffic" ? "sets" : panel;
    for (const tab of tabs()) {
      const isShown = tab.dataset.panel === shown;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      byId(tab.dataset.panel).hidden = !isShown && !(wide.matches && tab.dataset.panel === "traffic");
    }
  }

  #pressed(event) {
    const isTyping = event.target.matches("input, select, textarea");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.#searchNear(event.target);
    } else if (event.key === "Escape" && document.querySelector(":popover-open, dialog[open]") === null) {
      if (isTyping && event.target.type === "search" && event.target.value !== "") return;
      if (!this.#detail.shrink() && this.#traffic.chosen !== null) this.#close();
    }
  }

  /** Goes to the search of what has the focus: a body, the sets, or else the traffic. */
  #searchNear(focused) {
    const body = [...document.querySelectorAll('#detail input[type="search"]')].find((one) => one.checkVisibility());
    if (byId("detail").contains(focused) && body !== undefined) return body.select();
    // In a narrow window there is but one panel, whose tab is among the steering.
    const isSteering = wide.matches ? byId("steering").contains(focused) : byId("traffic").hidden;
    if (isSteering && byId("sets").hidden) this.#select("sets");
    byId(isSteering ? "sets-search" : "traffic-search").select();
  }

  /** Closes the detail. */
  #close() {
    this.#traffic.choose(null);
    byId("traffic-list").focus({ preventScroll: true });
  }
}

const tabs = () => document.querySelectorAll("#tabs button");
const selectedPanel = () => document.querySelector('#tabs [aria-selected="true"]').dataset.panel;

new Page().start();
