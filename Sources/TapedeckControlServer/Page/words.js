// An entry of the journal in words.

import { partsOfName } from "./names.js";

/** The outcome, or `fault` where what was played is one. */
export const kind = (entry) => (entry.fault !== undefined && entry.outcome === "played" ? "fault" : entry.outcome);

/** Whether its answer is not over yet. */
export const isUnderWay = (entry) => entry.ending === undefined;

export const statusText = (entry) =>
  [entry.status, entry.fault !== undefined && "✕"].filter(Boolean).join(" ") || "–";

/** What answered, in one line. */
export function answerText(entry) {
  const { played } = entry;
  const what = played === undefined ? [entry.reason ?? entry.unmatched?.message] : [played.set, played.variant];
  const outcome = played === undefined && outcomeText(entry.outcome);
  return [entry.fault, outcome, ...what, cutText(entry)].filter(Boolean).join(" · ");
}

/** What answered in pieces, without what the method, the status and the URL beside it say. */
export function answerPieces(entry) {
  const { played, unmatched } = entry;
  if (unmatched !== undefined) return [{ text: reasonText(unmatched) }];
  const own = played && partsOfName(played.set, entry.method, entry.shownURL ?? entry.url).own;
  const outcome = played?.variant ?? outcomeText(entry.outcome);
  const pieces = [
    { text: entry.fault, kind: "firm" },
    { text: own },
    { text: outcome, kind: "firm" },
    { text: entry.reason },
    { text: cutText(entry), kind: "firm" },
  ].filter(({ text }) => text);
  return pieces.map(({ text, kind }, index) => ({ text: index > 0 ? ` · ${text}` : text, kind }));
}

/** Why nothing answered, without the name of the nearest set, which the open request has. */
const reasonText = ({ nearest, message }) =>
  nearest.length === 0 ? message : message.replace(`nearest is "${nearest[0].set}": `, "");

/** How its answer ended, if that is not as it should. */
const cutText = ({ ending, fault }) => (fault === undefined && ending !== "complete" ? ending : undefined);

export function outcomeText(outcome) {
  const words = { pending: "under way", recorded: "live, recorded", passedThrough: "live" };
  return words[outcome] ?? outcome;
}

export function duration(milliseconds) {
  if (milliseconds === undefined) return "";
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  if (milliseconds >= 10) return `${milliseconds.toFixed(0)} ms`;
  return `${milliseconds.toFixed(milliseconds >= 1 ? 1 : milliseconds >= 0.1 ? 2 : 3)} ms`;
}

/** The local time of day, with milliseconds. */
export function timeOfDay(time) {
  const date = new Date(time);
  const padded = (number, digits = 2) => String(number).padStart(digits, "0");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => padded(part)).join(":");
  return `${clock}.${padded(date.getMilliseconds(), 3)}`;
}
