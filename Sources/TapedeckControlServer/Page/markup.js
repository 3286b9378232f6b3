// XML and HTML with each element on a line of its own. It is read as text: nothing of it becomes an element.

// A comment, a section of characters, an instruction, a declaration, a tag, text; each maybe cut.
const pieces =
  /<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?.*?(?:\?>|$)|<![^>]*>?|<\/?[\p{L}_](?:"[^"]*"|'[^']*'|[^>"'])*>?|[^<]+|</gsu;
// Elements of HTML that have no end, whose text is kept as it is, and that end where the next of their kind begins.
const empty = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const verbatim = new Set(["pre", "script", "style", "textarea"]);
const endedByTheirKind = new Set("dd dt li option p td th tr".split(" "));
const deepestIndent = 40;

/** This text, indented; the text between the tags loses only the spaces at its ends. */
export function indentedMarkup(text, isHTML) {
  const tokens = text.match(pieces) ?? [];
  const open = [];
  const lines = [];
  const add = (line) => lines.push("  ".repeat(Math.min(open.length, deepestIndent)) + line);
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    const name = nameOf(token, isHTML);
    if (name === undefined) {
      for (const line of token.trim().split("\n")) if (line.trim() !== "") add(line.trim());
    } else if (token.startsWith("</")) {
      const depth = open.lastIndexOf(name);
      if (depth >= 0) open.length = depth;
      add(token);
    } else {
      if (isHTML && endedByTheirKind.has(name) && open.at(-1) === name) open.pop();
      const end = endOnLine(tokens, index, name, isHTML);
      add(tokens.slice(index, end + 1).join(""));
      if (end === index && !token.endsWith("/>") && !(isHTML && empty.has(name))) open.push(name);
      index = end;
    }
  }
  return lines.join("\n");
}

/** The name of the element that a tag begins or ends; undefined for what is no tag. */
function nameOf(token, isHTML) {
  const [, name] = /^<\/?([\p{L}_][^\s/>]*)/u.exec(token) ?? [];
  return isHTML ? name?.toLowerCase() : name;
}

/** The number of the token up to which an element stays on the line of its first tag. */
function endOnLine(tokens, start, name, isHTML) {
  const isEnd = (token = "") => token.startsWith("</") && nameOf(token, isHTML) === name;
  if (isHTML && verbatim.has(name)) {
    let end = start;
    while (end < tokens.length - 1 && (end === start || !isEnd(tokens[end]))) end += 1;
    return end;
  }
  if (isEnd(tokens[start + 1])) return start + 1;
  const text = tokens[start + 1] ?? "";
  const isText = nameOf(text, isHTML) === undefined && !text.trim().includes("\n");
  return isText && isEnd(tokens[start + 2]) ? start + 2 : start;
}
