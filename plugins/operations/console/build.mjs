// Builds the console's pages into web/dist with Vite, where they are missing or other than their sources. Never fails an
// install: without Vite (a published package holds the pages built) it leaves what is there.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const web = fileURLToPath(new URL('./web', import.meta.url));
const dist = join(web, 'dist');
const mark = join(dist, '.built-from');
/** Only type-checked, or not part of the pages. */
const NOT_BUILT = /\.test\.ts$|^dist\/|^tsconfig\.json$/;

/** Digest of everything that the pages are made of. */
function digest() {
  const sum = createHash('sha256');
  const sources = globSync('**/*.*', { cwd: web }).filter((path) => !NOT_BUILT.test(path));
  for (const path of sources.sort()) sum.update(`${path}\0`).update(readFileSync(join(web, path)));
  // Another version of a library is another page.
  const lock = fileURLToPath(new URL('../../../package-lock.json', import.meta.url));
  if (existsSync(lock)) sum.update(readFileSync(lock));
  return sum.digest('hex');
}

/** Files that text compression makes smaller lie beside themselves as `.br`. */
function compress() {
  for (const path of globSync('**/*.{js,css,svg,html}', { cwd: dist })) {
    const body = readFileSync(join(dist, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    writeFileSync(join(dist, `${path}.br`), brotliCompressSync(body, { params }));
  }
}

/** True when pages were made. Throws what Vite throws. */
export async function buildPages({ build }) {
  const wanted = digest();
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return false;
  await build({ configFile: join(web, 'vite.config.mjs'), root: web, logLevel: 'warn' });
  compress();
  writeFileSync(mark, wanted);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const vite = await import('vite').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    if (!existsSync(mark)) console.log('svc: the console was not built, because Vite is not installed.');
  });
  if (vite) await buildPages(vite);
}
