// A request and its answer as text for other places: a curl command, a response set of a cassette.

// Fields of one connection, or of one body's framing: a repeated request does not send them.
const ofTheWire = new Set([
  "connection", "content-length", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
  "transfer-encoding", "upgrade", "x-tapedeck-session",
]);
// A cassette has bodies without their content coding; the deck writes dates itself.
const notOnTape = new Set([...ofTheWire, "content-encoding", "date"]);

/** The command that sends this request again. A body that is no text is left out, and a comment says so. */
export function curl({ method, url, request }) {
  const words = ["curl"];
  if (/[[\]{}]/.test(url)) words.push("--globoff");
  if (method === "HEAD") words.push("--head");
  else if (method !== "GET" || request.body?.text) words.push("--request", quoted(method));
  words.push(quoted(url));
  for (const [name, value] of request.headers) {
    if (name.toLowerCase() === "accept-encoding") words.push("--compressed");
    else if (!ofTheWire.has(name.toLowerCase())) {
      // curl sends a field without a value only if it is written with a semicolon.
      words.push("--header", quoted(value === "" ? `${name};` : `${name}: ${value}`));
    }
  }
  if (request.body?.text) words.push("--data-raw", quoted(request.body.text));
  const isPartial = request.body?.isCut || (request.body?.length > 0 && !request.body.text);
  const note = isPartial ? "# The body is not all here: save it from the page, and add --data-binary @FILE.\n" : "";
  return note + words.join(" ").replaceAll(" --", " \\\n  --");
}

/** A word of a shell's command. */
export const quoted = (text) => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The header fields of an answer that a cassette has. */
export const headersForTape = (headers) => headers.filter(([name]) => !notOnTape.has(name.toLowerCase()));

/**
 * The exchange as a cassette of one response set. Secrets that the deck knows of have their placeholders, but for those
 * in the body: `hidden` replaces them in a text.
 */
export async function cassetteYAML(entry, hidden) {
  const { status, response } = entry;
  const url = entry.shownURL ?? entry.url;
  const lines = [
    "tapedeck: 1",
    "responseSets:",
    `  - name: ${text(entry.played?.set ?? nameOf(entry.method, url))}`,
    "    request:",
    `      method: ${text(entry.method)}`,
    `      url: ${text(url.split("#")[0])}`,
    "    variants:",
    `      - name: ${text(entry.played?.variant ?? "recorded")}`,
    "        takes:",
    `          - status: ${status ?? 200}`,
  ];
  const headers = headersForTape(response?.shownHeaders ?? response?.headers ?? []);
  if (headers.length > 0) lines.push("            headers:");
  for (const [name, value] of headers) lines.push(`              - ${text(name)}: ${text(value)}`);
  const body = response?.body;
  if (body?.text) lines.push(`            body: { text: ${text(await hidden(body.text))} }`);
  else if (body?.base64) lines.push(`            body: { base64: ${text(body.base64)} }`);
  return `${lines.join("\n")}\n`;
}

/** The name that a set for this request gets: method, host and path. */
export const nameOf = (method, url) => `${method} ${url.replace(/^\w+:\/\//, "").split(/[?#]/)[0]}`;

// A string of JSON is one of YAML, too.
const text = (value) => JSON.stringify(value);
