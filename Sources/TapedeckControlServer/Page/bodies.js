// Bodies as a person can read them.

import { count, element } from "./dom.js";
import { foldable, indentedJSON } from "./foldable.js";
import { indentedMarkup } from "./markup.js";

const hexShown = 1024;
const hexWidth = 16;
const eventsShown = 200;
// Types that a browser decodes to pixels. SVG is a document, and is shown as text.
const pictures = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)\b/i;
const largestPicture = 4_000;

/**
 * A body as `{ view, text, sent, notes }`: an element; what it shows as one text to search in, if it is text; the text as it
 * was sent, if that is another; and notes about it.
 *
 * @param mediaType The content type of the message, if it has one.
 * @param load Loads the bytes of the body that the journal has kept, as `{ blob, isCut }`.
 */
export function readable(body, mediaType = "", load) {
  const notes = [size(body.length)];
  if (body.isCut) notes.push("only the beginning is shown");
  if (body.text !== undefined) return { ...readableText(body, mediaType, notes), notes };
  // The messages of a call of gRPC.
  if (body.shownText !== undefined) {
    return { view: plain(body.shownText), text: body.shownText, notes: [...notes, "messages"] };
  }
  const bytes = Uint8Array.from(atob(body.base64 ?? ""), (character) => character.charCodeAt(0));
  const hex = plain(hexDump(bytes.subarray(0, hexShown)));
  if (pictures.test(mediaType)) return { view: picture(load, mediaType, hex), notes: [size(body.length)] };
  if (bytes.length > hexShown) notes.push(`the first ${hexShown} bytes`);
  return { view: hex, notes: ["binary", ...notes] };
}

function readableText(body, mediaType, notes) {
  if (/^text\/event-stream\b/i.test(mediaType)) return { view: eventStream(body.text, notes), text: body.text };
  if (isJSON(body, mediaType)) return { view: foldable(body.text), text: indentedJSON(body.text), sent: body.text };
  const isHTML = /^text\/html\b/i.test(mediaType) || /^\s*<!doctype html\b/i.test(body.text);
  if (!isHTML && !/[/+]xml\b/i.test(mediaType) && !/^\s*<\?xml\b/.test(body.text)) {
    return { view: plain(body.text), text: body.text };
  }
  const text = indentedMarkup(body.text, isHTML);
  return { view: plain(text), text, sent: body.text };
}

/** A text as it is, with these nodes in place of it where there are any. */
export const plain = (text, ...nodes) => element("pre", { tabindex: 0 }, ...(nodes.length > 0 ? nodes : [text]));

/** True if a body is JSON, whatever its type says; of one that is cut only the type tells. */
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

// MARK: Event streams

/** The events of a stream (HTML, section 9.2), each with its name, its id and its data. */
function eventStream(text, notes) {
  const blocks = text.split(/(?:\r\n|\r|\n){2,}/).filter((block) => block.trim() !== "");
  notes.push(count(blocks.length, "event"));
  if (blocks.length > eventsShown) notes.push(`the first ${eventsShown} are shown`);
  const items = blocks.slice(0, eventsShown).map((block) => {
    const fields = { event: [], id: [], data: [], retry: [], comment: [] };
    for (const line of block.split(/\r\n|\r|\n/)) {
      const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
      fields[name === "" ? "comment" : name]?.push(value);
    }
    const facts = [
      fields.event.at(-1) ?? (fields.data.length > 0 ? "message" : "comment"),
      fields.id.length > 0 && `id ${fields.id.at(-1)}`,
      fields.retry.length > 0 && `retry ${fields.retry.at(-1)} ms`,
    ].filter(Boolean);
    const data = (fields.data.length > 0 ? fields.data : fields.comment).join("\n");
    const view = isJSON({ text: data }, "") ? foldable(data) : element("pre", {}, data);
    return element("li", {}, element("b", {}, facts.join(" · ")), view);
  });
  return element("ol", { class: "stream", tabindex: 0, "aria-label": "Events" }, ...items);
}

// MARK: Pictures

/**
 * A picture, drawn point by point: it never becomes a document or an address, so that the page needs no exception from
 * its content security policy. The bytes are shown where it cannot be decoded.
 */
function picture(load, mediaType, hex) {
  const place = element("figure", { class: "picture" }, element("p", { class: "note" }, "Loading the picture…"));
  const draw = async () => {
    const { blob } = await load();
    const bitmap = await createImageBitmap(new Blob([blob], { type: mediaType.split(";")[0] }));
    const scale = Math.min(1, largestPicture / Math.max(bitmap.width, bitmap.height));
    const points = `${bitmap.width} × ${bitmap.height}`;
    const canvas = element("canvas", { role: "img", "aria-label": `Picture of ${points} pixels` });
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    place.replaceChildren(canvas, element("figcaption", { class: "note" }, points));
  };
  draw().catch(() => {
    place.replaceChildren(element("p", { class: "note" }, "This is no picture that the browser can decode."), hex);
  });
  return place;
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
