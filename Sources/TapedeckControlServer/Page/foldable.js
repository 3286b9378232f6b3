// JSON as a tree whose objects and lists can be folded.

import { count, element } from "./dom.js";

// Lines that are open at first; what comes after them is folded, and made when somebody opens it.
const linesOpen = 400;
const membersShown = 200;
// A body of nothing but brackets would otherwise make elements in elements without end.
const deepestOpen = 30;

// A string (maybe cut), a sign, or anything else.
const tokens = /"(?:[^"\\]|\\.)*(?:"|$)|[[\]{},:]|[^"[\]{},:\s]+/gs;
const deepestIndent = 40;

/** This JSON as text with a line for each member. Numbers and escapes stay as they were sent. */
export function indentedJSON(json) {
  let depth = 0;
  let text = "";
  let before = "";
  for (const [token] of json.matchAll(tokens)) {
    const isEnd = token === "}" || token === "]";
    const isAfterStart = before === "{" || before === "[";
    if (isEnd) depth = Math.max(0, depth - 1);
    if (before === ":") text += " ";
    else if (before !== "" && token !== "," && token !== ":" && !(isAfterStart && isEnd)) {
      text += `\n${"  ".repeat(Math.min(depth, deepestIndent))}`;
    }
    text += token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return text;
}

/** An element that shows this JSON. Numbers and escapes stay as they were sent; the text may be cut anywhere. */
export function foldable(json) {
  const budget = { lines: linesOpen };
  const attributes = { class: "json", tabindex: 0, role: "group", "aria-label": "JSON" };
  return element("div", attributes, ...lines(tree(json), 0, budget));
}

/** The values at the top: each a token or `{ open, members, close }`. A member has a `value` and maybe a `key`. */
function tree(json) {
  const top = { members: [] };
  const stack = [top];
  let awaitsValue = false;
  const add = (value) => {
    const { members } = stack.at(-1);
    if (awaitsValue) members.at(-1).value = value;
    else members.push({ value });
    awaitsValue = false;
  };
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") {
      const value = { open: token, members: [], close: "" };
      add(value);
      stack.push(value);
    } else if (token === "}" || token === "]") {
      if (stack.length > 1) stack.pop().close = token;
      awaitsValue = false;
    } else if (token === ":") {
      const last = stack.at(-1).members.at(-1);
      if (last === undefined) continue;
      Object.assign(last, { key: last.value, value: "" });
      awaitsValue = true;
    } else if (token !== ",") add(token);
  }
  return top.members;
}

/** A line or a fold for each of these members; a button in place of those that are too many. */
function lines(members, depth, budget) {
  const shown = members.slice(0, membersShown);
  const nodes = shown.map((member, index) => line(member, index < members.length - 1 ? "," : "", depth, budget));
  const rest = members.slice(membersShown);
  if (rest.length === 0) return nodes;
  const more = element("button", { class: "plain", onclick: () => more.replaceWith(...lines(rest, depth, budget)) });
  more.append(`${count(rest.length, "more line")}…`);
  return [...nodes, more];
}

function line({ key, value }, comma, depth, budget) {
  budget.lines -= 1;
  const name = key === undefined ? [] : [element("span", { class: "key" }, key), ": "];
  if (value.members === undefined) return element("div", {}, ...name, scalar(value), comma);
  if (value.members.length === 0) return element("div", {}, ...name, value.open + value.close + comma);
  const inside = element("div", { class: "members" });
  const number = value.members.length.toLocaleString("en");
  const size = element("span", { class: "size" }, ` ${number} … ${value.close}${comma}`);
  const fold = element("details", {}, element("summary", {}, ...name, value.open, size), inside);
  if (value.close !== "") fold.append(element("div", {}, value.close + comma));
  const fill = (open) => {
    if (!inside.hasChildNodes()) inside.append(...lines(value.members, depth + 1, open));
  };
  // One level at a time: below the deepest, everything that is opened by itself would be too deep again.
  fold.addEventListener("toggle", () => fold.open && fill({ lines: depth < deepestOpen ? linesOpen : 0 }));
  if (budget.lines > 0 && depth < deepestOpen) {
    fill(budget);
    fold.open = true;
  }
  return fold;
}

function scalar(token) {
  const kind = token.startsWith('"') ? "string" : /^[-\d]/.test(token) ? "number" : "word";
  return element("span", { class: kind }, token);
}
