// Sends files and forms, and downloads in ranges: client.mjs URL forward|backward. As client.py does.
import { createHash } from "node:crypto";

const [url, order] = process.argv.slice(2);
const names = ["a", "b", "c"];
const size = 300_000;
const piece = order === "forward" ? 65_536 : 50_000;

function content(name) {
  const one = Buffer.concat([Buffer.from(name.repeat(7)), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))]);
  return Buffer.concat(Array.from({ length: 40 }, () => one));
}

async function ask(target, options) {
  const response = await fetch(target, options);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

const uploads = [];
const pieces = new Map();
const jobs = [];
for (const name of names) {
  jobs.push(async () => {
    const body = new FormData();
    body.append("file", new Blob([content(name)], { type: "application/octet-stream" }), `${name}.bin`);
    body.append("note", `of ${name}`);
    uploads.push(`upload ${name} ${await (await ask(`${url}/upload`, { method: "POST", body })).text()}`);
  });
  jobs.push(async () => {
    const fields = [["name", name], ["text", "naïve & more"], ["tag", "1"], ["tag", "2"]];
    const body = new URLSearchParams(order === "forward" ? fields : [...fields.slice(1), fields[0]]);
    uploads.push(`form ${name} ${await (await ask(`${url}/form`, { method: "POST", body })).text()}`);
  });
}
for (let start = 0; start < size; start += piece) {
  jobs.push(async () => {
    const headers = { Range: `bytes=${start}-${Math.min(start + piece, size) - 1}` };
    pieces.set(start, Buffer.from(await (await ask(`${url}/blob`, { headers })).arrayBuffer()));
  });
}
await Promise.all((order === "forward" ? jobs : jobs.reverse()).map((job) => job()));
for (const line of uploads.sort()) console.log(line);
const body = Buffer.concat([...pieces.keys()].sort((one, other) => one - other).map((start) => pieces.get(start)));
console.log("download", body.length, createHash("sha256").update(body).digest("hex"));
