import { get } from 'node:http';
import { text } from 'node:stream/consumers';

/** Asks a URL again and again until its input ends; then prints the longest time that an answer took, in ms. */
const [url = ''] = process.argv.slice(2);
let longest = 0;
let stopped = false;
process.stdin.resume();
process.stdin.once('end', () => (stopped = true));

const once = () =>
  new Promise<void>((resolve, reject) => {
    get(url, (response) => void text(response).then(() => resolve(), reject)).once('error', reject);
  });

await once();
process.stdout.write('ready\n');
while (!stopped) {
  const since = performance.now();
  await once();
  longest = Math.max(longest, performance.now() - since);
}
process.stdout.write(`${longest}\n`);
