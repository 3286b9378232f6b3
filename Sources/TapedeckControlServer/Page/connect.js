// How a client is pointed at a session: addresses, and lines for curl, Python and Swift.

import { byId, copy, setText } from "./dom.js";

const exampleOrigin = "https://api.example.com";
const keysKey = "tapedeck-session-tokens";

/** Keeps the secret of a session that was made here until the tab is closed: the deck tells it once. */
export function rememberToken(session, token) {
  sessionStorage.setItem(keysKey, JSON.stringify({ ...tokens(), [session]: token }));
}

const tokens = () => JSON.parse(sessionStorage.getItem(keysKey) ?? "{}");

export class Connect {
  #deck = null;
  #session = null;
  #origin = exampleOrigin;
  #language = byId("connect-language");

  constructor() {
    this.#language.addEventListener("change", () => this.#show());
    for (const id of ["connect-proxy", "connect-base", "connect-lines", "traffic-example"]) {
      const button = document.querySelector(`[data-copies="${id}"]`);
      button.addEventListener("click", () => copy(byId(id).textContent));
    }
  }

  open(session, deck) {
    this.#session = session;
    this.#deck = deck;
    this.#origin = exampleOrigin;
    this.#show();
  }

  /** Uses the origin of a response set of the session, so that the lines can be run as they are. */
  useOriginOf(sets) {
    const found = sets.map((set) => /https?:\/\/[^/?#\s{]+(?=\/|$)/.exec(set.request)?.[0]).find(Boolean);
    if (found === undefined || found === this.#origin) return;
    this.#origin = found;
    this.#show();
  }

  #show() {
    if (this.#session === null) return;
    const token = tokens()[this.#session];
    const isDefault = this.#session === "default";
    const key = token === undefined ? this.#session : `${this.#session}:${token}`;
    const deck = this.#deck.proxyURL.replace(/\/$/, "");
    // The colon stays where there is no token: some clients drop credentials without a password.
    const proxy = isDefault ? deck : deck.replace("://", `://${this.#session}:${token ?? ""}@`);
    const base = `${deck}/.tapedeck/${key}/${this.#origin.replace("://", "/")}`;
    setText(byId("connect-proxy"), proxy);
    setText(byId("connect-base"), base);
    byId("connect-no-token").hidden = isDefault || token !== undefined;
    const lines = this.#lines(proxy, base);
    setText(byId("connect-lines"), lines[this.#language.value]);
    setText(byId("traffic-example"), lines.curl);
  }

  #lines(proxy, base) {
    const authority = new URL("ca.pem", location.href.split("#")[0]).href;
    const isTLS = this.#origin.startsWith("https:");
    const curlTrust = isTLS ? [`curl --silent --remote-name ${authority}`] : [];
    return {
      curl: [...curlTrust, `curl --proxy ${proxy}${isTLS ? " --cacert ca.pem" : ""} ${this.#origin}/`].join("\n"),
      python: [
        "import requests  # ca.pem: see Trust the CA",
        `proxies = {"http": "${proxy}", "https": "${proxy}"}`,
        `requests.get("${this.#origin}/", proxies=proxies${isTLS ? ', verify="ca.pem"' : ""})`,
      ].join("\n"),
      swift: [
        "import Foundation  // by base URL: no proxy, no certificate",
        `let baseURL = URL(string: "${base}")!`,
        'let (data, response) = try await URLSession.shared.data(from: baseURL.appending(path: "/"))',
      ].join("\n"),
    };
  }
}
