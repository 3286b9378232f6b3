// Asks for each path on one connection, all at the same time. Prints the version, status and body of each answer.
import http2 from "node:http2";
import { readFileSync } from "node:fs";

const [base, ca, ...paths] = process.argv.slice(2);
const session = http2.connect(base, { ca: readFileSync(ca) });
const get = (path) =>
  new Promise((resolve, reject) => {
    const [method, target] = path.includes(" ") ? path.split(" ") : ["GET", path];
    const stream = session.request({ ":method": method, ":path": target });
    let text = "";
    let status;
    stream.setEncoding("utf8");
    stream.on("response", (headers) => (status = headers[":status"]));
    stream.on("data", (piece) => (text += piece));
    stream.on("end", () => resolve(`2 ${status} ${text}`));
    stream.on("error", reject);
    stream.end(method === "POST" ? "abc" : undefined);
  });
for (const line of await Promise.all(paths.map(get))) console.log(line);
session.close();
