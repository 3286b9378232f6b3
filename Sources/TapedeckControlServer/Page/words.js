// An entry of the journal in words.

/** The outcome, or `fault` where what was played is one. */
export const kind = (entry) => (entry.fault !== undefined && entry.outcome === "played" ? "fault" : entry.outcome);

/** Whether its answer is not over yet. */
export const isUnderWay = (entry) => entry.ending === undefined;

export const statusText = (entry) =>
  [entry.status, entry.fault !== undefined && "✕"].filter(Boolean).join(" ") || "–";

/** What answered, in one line. */
export function answerText(entry) {
  const parts = [entry.fault];
  if (entry.played !== undefined) parts.push(entry.played.set, entry.played.variant);
  else parts.push(outcomeText(entry.outcome), entry.reason ?? entry.unmatched?.message);
  if (entry.ending !== undefined && entry.ending !== "complete" && entry.fault === undefined) parts.push(entry.ending);
  return parts.filter(Boolean).join(" · ");
}

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
