import { brotliCompressSync } from 'node:zlib';
import t from 'tap';
import { boot } from '../../../test/kit/index.ts';
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
    t.equal(String(file?.body), text, path);
    t.match(file, { type: 'text/html; charset=utf-8', immutable: false, status: 200 }, path);
    t.ok(file?.brotli, 'as it is stored');
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
  t.equal(String(none?.body), '<p>not found');
  for (const path of ['texts.json', 'scripts.html.br', '../plugin.json', 'a/../scripts.html', 'none.js', 'api/.x.html'])
    t.equal(await serve(`/docs/${path}`), undefined, path);
  for (const path of ['.built-from', 'a//b', '..', '.', 'api/', 'scripts\u0000', 'images'])
    t.not((await serve(`/docs/${path}`))?.status, 200, path);
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
