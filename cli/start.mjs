// Each command loads what it needs.
const { existsSync } = process.getBuiltinModule('node:fs');
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { fileURLToPath } = process.getBuiltinModule('node:url');
import { ownCache } from '../kernel/contracts/own-cache.mjs';

/** A clone has the sources, the published package what was made of them. */
const source = new URL('./run.ts', import.meta.url);

/** A clone in which `npm install` was not run yet has none of them. */
function isInstalled() {
  if (existsSync(new URL('../node_modules/meow', import.meta.url))) return true;
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
  // The version is one line, which the sources print sooner.
  const { main } = inClone && VERSION.has(process.argv[2]) ? await import(source.href) : await loadPrebuilt();
  await main(process.argv.slice(2));
}

const VERSION = new Set(['--version', '-v']);

async function loadPrebuilt() {
  const { loadCommands } = await import('./prebuilt/prebuilt.mjs');
  return await loadCommands(process.argv[2]);
}
