// A body with its tools: a search within, the text as it was sent, the rest of it where it is long, a file.

import { plain, readable } from "./bodies.js";
import { attempt, element, focusInstead, setText } from "./dom.js";

// A person looks at no more of them one by one.
const mostHits = 1_000;

/**
 * An element for a body.
 *
 * @param title What the body is of, for screen readers.
 * @param load Loads the bytes that the journal has kept, as `{ blob, isCut }`.
 * @param onSave Called to save the body as a file.
 */
export function bodyView(title, body, mediaType, load, onSave) {
  const node = element("div", { class: "body" });
  const show = (shown) => node.replaceChildren(...partsOf(shown));

  const loadAll = () => attempt(async () => {
    const { blob, isCut } = await load();
    const text = decoderFor(mediaType).decode(await blob.arrayBuffer());
    show({ length: body.length, isCut, text });
    focusInstead(node.querySelector("input"));
  });

  const partsOf = (shown) => {
    const { view, text, sent, notes } = readable(shown, mediaType, load);
    const canLoad = shown === body && body.isCut && body.text !== undefined;
    const place = element("div", { class: "view" }, view);
    const tools = element("div", { class: "tools" }, element("span", { class: "note" }, notes.join(", ")));
    if (text !== undefined) tools.append(...searchOf(title, place, view, text, sent));
    if (canLoad) tools.append(element("button", { class: "plain", onclick: loadAll }, "show all of it"));
    tools.append(element("button", { class: "plain", onclick: onSave }, "save"));
    return [tools, place];
  };

  show(body);
  return node;
}

/** A decoder for the charset of a type, or for UTF-8 where the browser does not know it. */
function decoderFor(mediaType = "") {
  const [, charset = "utf-8"] = /charset="?([\w-]+)/i.exec(mediaType) ?? [];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** The search within a text, and the way to the text as it was sent; both change what is shown in `place`. */
function searchOf(title, place, view, text, sent) {
  let hits = [];
  let current = 0;
  const count = element("span", { class: "dim hits", role: "status" });
  const input = element("input", {
    type: "search",
    placeholder: "Search in it",
    "aria-label": `Search in the ${title}`,
    "aria-keyshortcuts": "/",
    oninput: () => show(),
    onkeydown: (event) => pressed(event),
  });
  const asSent = element("button", { class: "plain", "aria-pressed": "false", onclick: () => toggle() }, "as sent");

  const toggle = () => {
    asSent.setAttribute("aria-pressed", String(!isAsSent()));
    show();
  };
  const isAsSent = () => asSent.getAttribute("aria-pressed") === "true";

  const show = () => {
    const shown = isAsSent() ? sent : text;
    const nodes = input.value === "" ? [] : marked(shown, input.value);
    hits = nodes.filter((node) => node instanceof Element);
    const isFound = hits.length > 0;
    // Folded text cannot be found, so a search shows all of it.
    place.replaceChildren(input.value === "" && !isAsSent() ? view : plain(shown, ...nodes));
    setText(count, input.value === "" || isFound ? "" : "not found");
    current = 0;
    if (isFound) move(0);
  };
  const move = (step) => {
    hits[current].classList.remove("now");
    current = (current + step + hits.length) % hits.length;
    hits[current].classList.add("now");
    hits[current].scrollIntoView({ block: "center" });
    setText(count, `${current + 1} of ${hits.length === mostHits ? `${mostHits} or more` : hits.length}`);
  };
  const pressed = (event) => {
    const steps = { ArrowUp: -1, ArrowDown: 1, Enter: event.shiftKey ? -1 : 1 };
    if (steps[event.key] === undefined || hits.length === 0) return;
    event.preventDefault();
    move(steps[event.key]);
  };
  return sent === undefined ? [input, count] : [input, count, asSent];
}

/** The text in pieces, with a mark for each place where `wanted` is, in whatever case. */
function marked(text, wanted) {
  const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi");
  const nodes = [];
  let end = 0;
  let found = 0;
  for (const { 0: hit, index } of text.matchAll(pattern)) {
    nodes.push(text.slice(end, index), element("mark", {}, hit));
    end = index + hit.length;
    found += 1;
    if (found === mostHits) break;
  }
  return [...nodes, text.slice(end)];
}
