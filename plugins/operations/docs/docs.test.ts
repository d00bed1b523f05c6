import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import t from 'tap';
import { boot } from '../../../test/kit/index.ts';
import type { PageFile } from '../../platform/http/contract.ts';
import { docsPages } from './domain/pages.ts';

const packed = (text: string) => brotliCompressSync(Buffer.from(text));

const site = {
  'index.html.br': packed('<p>home'),
  'scripts.html.br': packed('<p>scripts'),
  'plugins.html.br': packed('<p>plugins'),
  '404.html.br': packed('<p>not found'),
  'texts.json.br': packed('{}'),
  '.built-from': 'digest',
  api: { 'runs.html.br': packed('<p>api') },
  assets: { 'app.1a2b.js.br': packed('export {}'), chunks: { '@localSearchIndexroot.x1.js.br': packed('1') } },
  images: { 'one.png': 'png' },
};

const textOf = (file?: PageFile): string =>
  file?.brotli ? String(brotliDecompressSync(file.brotli)) : String(file?.body);

/** Serves a path as the server does, with the page whose pattern fits. */
const serveFrom = (folder: string) => {
  const [entry, below] = docsPages(folder);
  return (path: string) => (path === '/docs' ? entry! : below!).serve(path);
};

t.test('a page has no ending in its address', async (t) => {
  const serve = serveFrom(t.testdir(site));
  for (const [path, text] of [
    ['/docs/', '<p>home'],
    ['/docs/scripts', '<p>scripts'],
    ['/docs/scripts.html', '<p>scripts'],
    ['/docs/plugins', '<p>plugins'],
    ['/docs/api/runs', '<p>api'],
  ] as const) {
    const file = await serve(path);
    t.equal(textOf(file), text, path);
    t.match(file, { type: 'text/html; charset=utf-8', immutable: false }, path);
    t.notOk(file?.body, 'as it is stored');
  }
  t.match(String((await serve('/docs'))?.body), /url=\/docs\//, 'links of the site are below /docs/');
});

t.test('what a build made is kept by browsers for good', async (t) => {
  const serve = serveFrom(t.testdir(site));
  t.match(await serve('/docs/assets/app.1a2b.js'), { type: 'text/javascript; charset=utf-8', immutable: true });
  t.ok(await serve('/docs/assets/chunks/@localSearchIndexroot.x1.js'));
  t.match(await serve('/docs/images/one.png'), { type: 'image/png', immutable: false });
});

t.test('a page that is not there says so, and nothing else is served', async (t) => {
  const serve = serveFrom(t.testdir(site));
  const none = await serve('/docs/nothing');
  t.equal(none?.status, 404);
  t.equal(textOf(none), '<p>not found');
  for (const path of ['texts.json', 'scripts.html.br', '../plugin.json', 'a/../scripts.html', 'none.js', 'api/.x.html'])
    t.equal(await serve(`/docs/${path}`), undefined, path);
  for (const path of ['.built-from', 'a//b', '..', '.', 'api/', 'scripts\u0000', 'images', 'x'.repeat(300)])
    t.equal((await serve(`/docs/${path}`))?.status, 404, path);
});

t.test('a page is read again when it has changed, and only then', async (t) => {
  const folder = t.testdir(site);
  const serve = serveFrom(folder);
  const page = await serve('/docs/scripts');
  t.equal((await serve('/docs/scripts'))?.brotli, page?.brotli, 'the same bytes, so that their ETag is known');
  writeFileSync(join(folder, 'scripts.html.br'), packed('<p>a new build'));
  t.equal(textOf(await serve('/docs/scripts')), '<p>a new build');
});

t.test('a name that is too long for a file names none', async (t) => {
  const serve = serveFrom(t.testdir(site));
  t.equal((await serve(`/docs/${'a'.repeat(300)}`))?.status, 404);
  t.equal(await serve(`/docs/${'a'.repeat(300)}.js`), undefined);
  t.equal((await serve(`/docs/${'a/'.repeat(3000)}a`))?.status, 404);
});

t.test('a clone in which the site was not built says how to build it', async (t) => {
  const serve = serveFrom(t.testdir({}));
  t.match(String((await serve('/docs/scripts'))?.body), /npm run docs/);
});

t.test('a server serves /docs to anybody, and its errors lead there', async (t) => {
  const server = await boot({ access: 'project', env: {} });
  t.teardown(() => server.close());
  const { status, json } = await server.call('viewer', 'GET /api/v1/orgs/none');
  t.equal(status, 404);
  t.equal(json.docs, '/docs/errors#not_found');
});
