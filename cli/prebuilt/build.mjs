// Builds a prebuilt file of a clone: node build.mjs <kernel|commands> <folder>. It is a program of its own, because esbuild runs
// asynchronously and a start waits for it. With exit status 3 the sources changed meanwhile, and nothing was written.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listingOf } from './listing.mjs';
import { bundle, filesOf } from './bundle.mjs';
import { removePartials, replaceFile } from './replace-file.mjs';

const CHANGED = 3;
const began = Date.now();
const [, , name, folder] = process.argv;
const home = resolve(import.meta.dirname, '../..');

// First, so that a folder whose build has failed is removed with its clone too.
replaceFile(join(folder, 'home'), home);
removePartials(folder);

const { entry, code, map, inputs } = await bundle(name, { home, ending: 'ts' }).catch((error) => {
  const [first] = error.errors ?? [];
  const at = first?.location ? `${first.location.file}:${first.location.line}:${first.location.column}: ` : '';
  process.stderr.write(`${at}${first?.text ?? error.stack}\n`, () => process.exit(1));
  return new Promise(() => {});
});
const listing = listingOf({ home, entry, inputs, began });
if (listing === undefined) process.exit(CHANGED);
for (const [file, contents] of filesOf(name, { code, map, digest: listing.digest }))
  replaceFile(join(folder, file), contents);
// Last: whoever reads a listing finds the file that it lists.
replaceFile(join(folder, `${name}.json`), JSON.stringify(listing));

// Clones that shared this node_modules and have been deleted.
for (const other of readdirSync(dirname(folder)).map((one) => join(dirname(folder), one))) {
  try {
    const clone = join(other, 'home');
    if (existsSync(clone) && !existsSync(readFileSync(clone, 'utf8'))) rmSync(other, { recursive: true, force: true });
  } catch {
    // Another start removes it too.
  }
}
