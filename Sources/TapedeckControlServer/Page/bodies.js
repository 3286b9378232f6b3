// Bodies as a person can read them.

const hexShown = 1024;
const hexWidth = 16;
// A body of nothing but brackets would otherwise take gigabytes of indentation.
const deepestIndent = 40;

/**
 * A body as text for a `<pre>`, and what is to be said about it.
 *
 * @param mediaType The content type of the message, if it has one.
 */
export function readable(body, mediaType = "") {
  const notes = [size(body.length)];
  if (body.isCut) notes.push("only the beginning is shown");
  if (body.text !== undefined) {
    return { text: isJSON(body, mediaType) ? indented(body.text) : body.text, notes };
  }
  const bytes = Uint8Array.from(atob(body.base64 ?? ""), (character) => character.charCodeAt(0));
  if (bytes.length > hexShown) notes.push(`the first ${hexShown} bytes`);
  return { text: hexDump(bytes.subarray(0, hexShown)), notes: ["binary", ...notes] };
}

/** Whether a body is JSON, whatever its type says; of one that is cut only the type tells. */
function isJSON(body, mediaType) {
  if (body.isCut) return /[/+]json\b/.test(mediaType);
  if (!/^\s*[{[]/.test(body.text)) return false;
  try {
    JSON.parse(body.text);
    return true;
  } catch {
    return false;
  }
}

/**
 * JSON with a line for each member. Only white space is changed, so that numbers and escapes stay as they were sent;
 * that also works for a body that is cut.
 */
function indented(json) {
  let depth = 0;
  let result = "";
  const line = () => `\n${"  ".repeat(Math.min(Math.max(depth, 0), deepestIndent))}`;
  // A string (maybe cut), an empty list or object, a sign, white space, or anything else.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|\[\s*\]|\{\s*\}|[[\]{},:]|\s+|[^"[\]{},:\s]+/gs)) {
    if (token === "{" || token === "[") {
      depth += 1;
      result += token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      result += line() + token;
    } else if (token === ",") result += token + line();
    else if (token === ":") result += ": ";
    else if (token.trim() !== "") result += /^[[{]/.test(token) ? token.replace(/\s/g, "") : token;
  }
  return result;
}

function hexDump(bytes) {
  const lines = [];
  for (let offset = 0; offset < bytes.length; offset += hexWidth) {
    const row = [...bytes.subarray(offset, offset + hexWidth)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${offset.toString(16).padStart(6, "0")}  ${hex.padEnd(hexWidth * 3 - 1)}  ${text}`);
  }
  return lines.join("\n");
}

export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
