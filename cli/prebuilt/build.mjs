// Builds a prebuilt file of a clone: node build.mjs <kernel|commands> <folder>. It is a program of its own, because esbuild runs
// asynchronously and a start waits for it. With exit status 3 the sources changed meanwhile, and nothing was written.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listingOf } from './listing.mjs';
import { bundle } from './bundle.mjs';
import { chunkStarts, encodeTable, tableOf } from './positions.mjs';

const CHANGED = 3;
const began = Date.now();
const [, , name, folder] = process.argv;
const home = resolve(import.meta.dirname, '../..');

function write(file, contents) {
  const path = join(folder, file);
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

const { entry, code, map, inputs } = await bundle(name, { home, ending: 'ts' }).catch((error) => {
  const [first] = error.errors ?? [];
  const at = first?.location ? `${first.location.file}:${first.location.line}:${first.location.column}: ` : '';
  process.stderr.write(`${at}${first?.text ?? error.stack}\n`, () => process.exit(1));
  return new Promise(() => {});
});
const listing = listingOf({ home, entry, inputs, began });
if (listing === undefined) process.exit(CHANGED);
const table = tableOf(map);
write(`${name}.positions`, encodeTable(table));
write(
  `${name}.sources.json`,
  JSON.stringify({ digest: listing.digest, sources: map.sources, starts: chunkStarts(table) }),
);
// The file ends with the digest too, because another start may replace it between two reads.
write(`${name}.js`, `${code}//${listing.digest}`);
write(`${name}.json`, JSON.stringify(listing));
write('home', home);

// Clones that shared this node_modules and have been deleted.
for (const other of readdirSync(dirname(folder)).map((one) => join(dirname(folder), one))) {
  const clone = join(other, 'home');
  if (existsSync(clone) && !existsSync(readFileSync(clone, 'utf8'))) rmSync(other, { recursive: true, force: true });
}
