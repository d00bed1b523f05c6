// `npm pack` calls this. It packs the root of the clone by what stands in package.json, and a clone needs another one than
// what is published: TypeScript at its names, scripts, packages of development. So the published one stands in its place
// while npm packs. `after` puts the clone's own back; after a `npm pack` that was ended in between, so does the next one.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const home = resolve(import.meta.dirname, '../..');
const manifest = join(home, 'package.json');
const kept = join(home, 'package.clone.json');
// npm would install a clone by it as well, so it is there while npm packs and not longer.
const shrinkwrap = join(home, 'npm-shrinkwrap.json');

/** Somebody may have put it back already, with git, and gone on from there. */
function putBack() {
  rmSync(shrinkwrap, { force: true });
  if (!existsSync(kept)) return;
  const { devDependencies } = JSON.parse(readFileSync(manifest, 'utf8'));
  if (devDependencies === undefined) renameSync(kept, manifest);
  else rmSync(kept);
}

async function before() {
  putBack();
  const { build, publishedManifest, publishedShrinkwrap } = await import('./build.mjs');
  await build();
  const published = publishedManifest();
  writeFileSync(shrinkwrap, `${JSON.stringify(publishedShrinkwrap(), null, 2)}\n`);
  renameSync(manifest, kept);
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
}

const steps = { before, after: putBack };
await steps[process.argv[2]]();
