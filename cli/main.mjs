// Plain JavaScript for every Node since 12, so that an old Node gets a clear message instead of a syntax error in
// TypeScript. Each command loads what it needs.
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  console.error(
    `svc: this needs Node 24 or newer and runs on ${process.version}; run npm install in the clone, or install Node 24.`,
  );
  process.exit(2);
}
const { enableCompileCache } = await import('node:module');
const { ownCache } = await import('./own-cache.mjs');
const cache = ownCache();
if (cache !== undefined) enableCompileCache(cache);
const { existsSync } = await import('node:fs');
const entry = new URL('./run.ts', import.meta.url);
const { main } = await import(existsSync(entry) ? entry.href : new URL('./run.js', import.meta.url).href);
await main(process.argv.slice(2));
