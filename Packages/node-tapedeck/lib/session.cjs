'use strict';

const { Exchange } = require('./exchange.cjs');

/** Entries of one answer. */
const PAGE = 100;
/** The most of a body that a deck gives, in bytes. */
const BODY_LIMIT = 1024 * 1024;

/** A session of a deck, over the control API. */
class Session {
  constructor(control, model) {
    this.control = control;
    this.model = model;
    this.path = `/v1/sessions/${encodeURIComponent(model.id)}`;
  }

  /** What clients name it by. */
  get key() {
    return `${this.model.id}:${this.model.token ?? ''}`;
  }

  get playsCassettes() {
    return this.model.cassettes.length > 0;
  }

  ask(method, path, body) {
    return this.control.json(method, `${this.path}${path}`, body);
  }

  /** The requests so far, oldest first; those that match, with a matcher's shape. */
  async exchanges({ request, after = 0, bodies = true } = {}) {
    const found = [];
    let last = after;
    for (;;) {
      const page = await this.ask('POST', '/journal/query', { request: request ?? {}, after: last, limit: PAGE, bodies });
      for (const entry of page.entries) found.push(new Exchange(bodies ? await this.#whole(entry) : entry));
      if (page.entries.length < PAGE) return found;
      last = page.entries[PAGE - 1].number;
    }
  }

  /** An entry of a page, with all of its bodies that there is: pages have their beginnings. */
  async #whole(entry) {
    if (!entry.request?.body?.isCut && !entry.response?.body?.isCut) return entry;
    try {
      return await this.ask('GET', `/journal/${entry.number}?limit=${BODY_LIMIT}`);
    } catch (error) {
      // Gone in favour of newer ones.
      if (error.type === 'unknown-entry') return entry;
      throw error;
    }
  }

  /** Texts with placeholders in place of the session's secrets. */
  async shown(texts) {
    return texts.length > 0 ? (await this.ask('POST', '/texts', { texts })).texts : [];
  }

  /** Ends it, and returns its final report. */
  end() {
    return this.ask('DELETE', '');
  }
}

module.exports = { Session };
