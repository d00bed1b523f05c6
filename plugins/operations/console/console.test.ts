import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import t from 'tap';
import { consolePages } from './domain/pages.ts';

const folder = join(import.meta.dirname, 'web/dist');
const pages = consolePages(folder);
const serve = (pattern: string, path: string) => pages.find((page) => page.path === pattern)!.serve(path);

t.test('the page is served wherever one enters it, with everything it loads', async (t) => {
  const index = await serve('/', '/');
  t.equal(index?.type, 'text/html; charset=utf-8');
  t.notOk(index?.immutable, 'browsers ask for it again');
  t.equal((await serve('/orgs/*', '/orgs/a/projects/b/runs/c'))?.body, index?.body, 'the same bytes, so the same ETag');
  t.equal((await serve('/sign-in', '/sign-in'))?.body, index?.body);
  const loads = [...String(index?.body).matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path!);
  t.ok(loads.length >= 3);
  for (const path of loads) t.ok(await serve('/console/*', path), path);
  t.ok(await serve('/console/*', '/console/message.css'), 'for pages without a script');
});

t.test('what a build made is kept by browsers for good, and is sent compressed', async (t) => {
  const names = (await readdir(join(folder, 'assets'))).filter((name) => !name.endsWith('.br'));
  t.ok(names.length > 5);
  for (const name of names) {
    const file = await serve('/console/*', `/console/assets/${name}`);
    t.equal(file?.immutable, true, name);
    // WOFF2 holds its tables compressed with Brotli; a second pass gains nothing.
    if (name.endsWith('.woff2')) t.equal(String(file?.body?.subarray(0, 4)), 'wOF2', name);
    else t.ok(file?.brotli && brotliDecompressSync(file.brotli).equals(file.body!), `${name}.br is ${name}`);
  }
});

t.test('the frame of all pages is at most 155 KB compressed, and leaves the rest for when it is needed', async (t) => {
  const index = String((await serve('/', '/'))?.body);
  const loads = [...index.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  let bytes = 0;
  for (const path of loads) bytes += (await serve('/console/*', path))!.brotli!.length;
  t.ok(bytes > 10_000 && bytes <= 155 * 1024, `${bytes} bytes`);
  t.notOk(
    loads.some((path) => /chart|markdown|run-/.test(path)),
    loads.join(),
  );
});

t.test('nothing else is', async (t) => {
  for (const name of [
    '',
    'none.css',
    '../plugin.json',
    '..',
    '/etc/passwd',
    'a/b.css',
    'assets/../index.html',
    'assets/.hidden.js',
    'assets/a/b.js',
    '.built-from',
    'index.html.br',
    'index.html/',
    'index.html\u0000',
  ])
    t.equal(await serve('/console/*', `/console/${name}`), undefined, name);
});

t.test('a file that cannot be read is a fault, one that is absent is not, and may come', async (t) => {
  const own = t.testdir({ 'folder.css': {}, 'loop.css': t.fixture('symlink', 'loop.css') });
  const [entry, , , files] = consolePages(own);
  t.match(String((await entry!.serve('/'))?.body), /was not built/);
  await t.rejects(files!.serve('/console/loop.css'), { code: 'ELOOP' });
  t.equal(await files!.serve('/console/folder.css'), undefined);
  t.equal(await files!.serve('/console/later.css'), undefined);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'later.css'), 'a{}');
  t.equal(String((await files!.serve('/console/later.css'))?.body), 'a{}');
});

t.test('the page loads nothing from elsewhere, and has nothing inline', async (t) => {
  const index = await readFile(join(folder, 'index.html'), 'utf8');
  t.notMatch(index, /https?:\/\/|<style|\sstyle=|\son[a-z]+="/);
  t.notMatch(index, /<script(?![^>]*\ssrc="\/console\/)/);
});
