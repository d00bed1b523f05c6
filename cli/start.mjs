// Each command loads what it needs.
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ownCache } from '../kernel/contracts/own-cache.mjs';

/** A clone has the sources, the published package what was made of them. */
const source = new URL('./run.ts', import.meta.url);

/** A clone in which `npm install` was not run yet has none of them. */
function isInstalled() {
  try {
    import.meta.resolve('meow');
    return true;
  } catch {
    return false;
  }
}

export async function start() {
  const inClone = existsSync(source);
  if (inClone && !isInstalled()) {
    const clone = fileURLToPath(new URL('..', import.meta.url));
    console.error(`svc: nothing is installed here yet; run npm ci in ${clone}`);
    process.exit(2);
  }
  const cache = ownCache('compiled');
  if (cache !== undefined) enableCompileCache(cache);
  const { main } = await import(inClone ? source.href : new URL('./run.js', import.meta.url).href);
  await main(process.argv.slice(2));
}
