// Making and finding elements, and telling the user something.

export const byId = (id) => document.getElementById(id);

/**
 * An element. Attributes that are `on…` are listeners, those that are null, undefined or false are left out.
 * Children that are strings become text: nothing from the wire is ever read as markup.
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Sets an element's text; does nothing where it is the same, which would cost a layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Focuses this where what had the focus is gone, so that keyboard users do not start again at the top. */
export function focusInstead(node) {
  if (document.activeElement === document.body) node.focus();
}

export const count = (number, noun, nouns = `${noun}s`) => `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;

const toastSeconds = 8;
const toastsShown = 4;

/** A message in the corner, which goes by itself; `kind` is `note` or `problem`. */
export function tell(text, kind = "note") {
  const toast = element("div", { class: "toast", "data-kind": kind, role: kind === "problem" ? "alert" : "status" });
  const remove = () => toast.remove();
  toast.append(element("p", {}, text), element("button", { "aria-label": "Dismiss", onclick: remove }, "×"));
  const toasts = byId("toasts");
  toasts.append(toast);
  while (toasts.children.length > toastsShown) toasts.firstElementChild.remove();
  setTimeout(remove, toastSeconds * 1000);
}

/** Runs what a button does, and shows what went wrong with it. Returns whether it went well. */
export async function attempt(action) {
  try {
    await action();
    return true;
  } catch (error) {
    if (error.name !== "AbortError") tell(error.message, "problem");
    return false;
  }
}

/** Copies a text to the clipboard; where the browser has none for this page, it is shown to be copied by hand. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    tell("Copied.");
  } catch {
    const area = byId("copy-text");
    area.value = text;
    byId("copy-dialog").showModal();
    area.select();
  }
}

/** Shows a dialog; true where it was left by the button whose value is `yes`. */
function ask(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Asks a question with two answers; true is `answer`. */
export function confirm(question, answer) {
  setText(byId("confirm-question"), question);
  setText(byId("confirm-answer"), answer);
  return ask(byId("confirm-dialog"));
}

/** Asks for the deck's token, until there is one: nothing works without it. */
export async function askForToken(wasWrong) {
  const input = byId("token-input");
  setText(byId("token-note"), wasWrong ? "The deck does not take that token." : "");
  input.value = "";
  while (!(await ask(byId("token-dialog")))) continue;
  return input.value.trim();
}

/**
 * A list in which arrow keys move: only one of its `selector` elements is a tab stop.
 * `back` and `forth` are the keys.
 */
export function moveWithArrows(list, selector, back, forth) {
  list.addEventListener("keydown", (event) => {
    const step = back.includes(event.key) ? -1 : forth.includes(event.key) ? 1 : 0;
    const items = [...list.querySelectorAll(selector)].filter((item) => item.checkVisibility());
    const index = items.indexOf(event.target);
    const next = items[index + step];
    if (step === 0 || index < 0 || next === undefined) return;
    event.preventDefault();
    for (const item of items) item.tabIndex = item === next ? 0 : -1;
    next.focus();
  });
}
