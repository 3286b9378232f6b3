// One step from an answer to an error in its place: a variant of the set that answered, selected in this session.

import { wholeSet } from "./answers.js";
import { call, sessionPath } from "./api.js";
import { element, setText, tell } from "./dom.js";
import { partsOf } from "./names.js";

// Of the built-in variants, the errors have this form, too.
const statuses = {
  400: "bad request",
  401: "unauthorized",
  403: "forbidden",
  404: "not found",
  409: "conflict",
  422: "unprocessable content",
  429: "too many requests",
  500: "internal server error",
  502: "bad gateway",
  503: "service unavailable",
  504: "gateway timeout",
};
const later = [{ "Retry-After": "1" }];
const headersOf = { 401: [{ "WWW-Authenticate": "Bearer" }], 429: later, 503: later };
const faults = {
  connectionRefused: "no connection (502)",
  connectionReset: "connection reset",
  timeout: "timeout (504)",
  hang: "no answer ever",
  emptyResponse: "closed before the answer",
  truncatedBody: "closed within the body",
  resetDuringBody: "reset within the body",
};
const callStatuses = [
  "INVALID_ARGUMENT", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "ALREADY_EXISTS", "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION", "DEADLINE_EXCEEDED", "INTERNAL", "UNIMPLEMENTED", "UNAVAILABLE",
];

/** The form that has requests like this one answered with an error; `onDone` is called once it is so. */
export function failingForm(session, entry, onDone) {
  const variants = isCall(entry) ? callVariants() : [...statusVariants(), ...faultVariants()];
  const select = element("select", { "aria-label": "The error to answer with" });
  for (const variant of variants) {
    const isUsual = variant.name.startsWith("500") || variant.name === "UNAVAILABLE";
    select.append(element("option", { selected: isUsual }, variant.name));
  }
  const note = element("p", { class: "failure", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    setText(note, "");
    try {
      const variant = variants[select.selectedIndex];
      const name = await answerWith(session, entry, variant);
      tell(`${name} answers with “${variant.name}” in this session from now on.`);
      onDone();
    } catch (error) {
      setText(note, error.message);
    }
  };
  const button = element("button", {}, "Answer this instead");
  return element("form", { class: "failing", onsubmit: submit }, select, button, note);
}

function isCall({ request }) {
  const type = request?.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return /^application\/grpc\b/.test(type);
}

const statusVariants = () => Object.entries(statuses).map(([status, words]) => {
  const headers = [{ "Content-Type": "application/json" }, ...(headersOf[status] ?? [])];
  const body = { json: JSON.stringify({ error: words }) };
  return { name: `${status} ${words}`, takes: [{ status: Number(status), headers, body }] };
});
const faultVariants = () => Object.entries(faults).map(([fault, name]) => ({ name, fault }));
const callVariants = () => callStatuses.map((grpcStatus) => ({ name: grpcStatus, grpcStatus }));

/** Adds the variant to the set that answers such requests, in this session, and selects it; returns the set's name. */
async function answerWith(session, entry, variant) {
  const name = entry.played?.set ?? nameOf(entry);
  const { added } = await call(sessionPath(session));
  const set = added.includes(name) ? await wholeSet(session, name, "added") : await answeringSet(session, entry);
  if (!set.variants.some((one) => one.name === variant.name)) {
    const { name: _, ...rest } = set;
    const add = (body) => call(sessionPath(session, "added", name), { method: "PUT", body });
    await add({ ...rest, variants: [...set.variants, variant] }).catch((error) => {
      if (error.status !== 422) throw error;
      // The session has no body files of the cassette. Without the other variants, the set needs none.
      return add({ request: set.request, variants: [variant] });
    });
  }
  await call(sessionPath(session, "selections", name), { method: "PUT", body: { variant: variant.name } });
  return name;
}

/** The set that answered the entry; an empty one for such requests if none did. */
function answeringSet(session, { played, method, shownURL, url }) {
  if (played !== undefined) return wholeSet(session, played.set, played.cassette);
  return { request: { method, url: (shownURL ?? url).split("#")[0] }, variants: [] };
}

/** With the query: a recorded set may have the name without it. */
function nameOf({ method, shownURL, url }) {
  const { host, path } = partsOf(shownURL ?? url);
  return `${method} ${host}${path.split("#")[0]}`;
}
