// Run by recording.test.mjs: prints what the origins, given as arguments, answer.
import { withTapedeck } from 'node-tapedeck';
import { get } from './small-client.mjs';

const [folder, plain, secure, mode] = process.argv.slice(2);
await withTapedeck('origins', { folder, mode: mode || undefined, name: 'recorded' }, async () => {
  console.log((await get(`${plain}/by-http`)).text);
  console.log((await get(`${secure}/by-https`)).text);
  console.log(await (await fetch(`${plain}/by-fetch`)).text());
  console.log(await (await fetch(`${secure}/by-fetch`)).text());
});
