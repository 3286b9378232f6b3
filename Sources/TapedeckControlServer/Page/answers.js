// The answers of a response set as they are on tape.

import { call, sessionPath } from "./api.js";

/** A response set of a session in the shape that it has in a cassette. */
export function wholeSet(session, name, cassette) {
  return call(`${sessionPath(session, "sets", name)}?${new URLSearchParams({ cassette })}`);
}

/** A take as status, pairs of headers, and body as text; `note` says where the body is if it is no text here. */
export function answerOf(take) {
  const fields = [take.headers ?? []].flat().flatMap((field) => Object.entries(field));
  const headers = fields.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const { body } = take;
  const answer = { status: take.status, headers, body: "", note: "" };
  if (typeof body === "string") answer.body = body;
  else if (body?.text !== undefined) answer.body = body.text;
  else if (body?.json !== undefined) {
    answer.body = typeof body.json === "string" ? body.json : JSON.stringify(body.json, null, 2);
  } else if (body?.file !== undefined) answer.note = `The body is in the file ${body.file}.`;
  else if (body?.base64 !== undefined) answer.note = "The body is no text.";
  return answer;
}
