import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { consolePages } from './domain/pages.ts';

const folder = join(import.meta.dirname, 'page');
const pages = consolePages(folder);
const serve = (pattern: string, path: string) => pages.find((page) => page.path === pattern)!.serve(path);

t.test('the page is served wherever one enters it, with everything it loads', async (t) => {
  const index = await serve('/', '/');
  t.equal(index?.type, 'text/html; charset=utf-8');
  t.equal((await serve('/orgs/*', '/orgs/a/projects/b/runs/c'))?.body, index?.body, 'the same bytes, so the same ETag');
  const loads = [...String(index?.body).matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path!);
  t.ok(loads.length >= 3);
  const modules = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
  for (const path of [...loads, ...modules.map((name) => `/console/${name}`)]) {
    const file = await serve('/console/*', path);
    t.ok(file, path);
    for (const [, imported] of String(file?.body).matchAll(/from '\.\/([^']+)'/g))
      t.ok(modules.includes(imported!), `${path} imports ${imported}`);
  }
});

t.test('nothing else is', async (t) => {
  for (const name of [
    '',
    'none.css',
    '../plugin.json',
    '..',
    '/etc/passwd',
    'a/b.css',
    '.hidden',
    'main.mjs/',
    'MAIN.MJS',
    'main.json',
    'main.mjs\u0000',
  ])
    t.equal(await serve('/console/*', `/console/${name}`), undefined, name);
});

t.test('a file that cannot be read is a fault, one that is absent is not, and may come', async (t) => {
  const own = t.testdir({ 'folder.css': {} });
  const [, , files] = consolePages(own);
  await t.rejects(files!.serve('/console/folder.css'), { code: 'EISDIR' });
  t.equal(await files!.serve('/console/later.css'), undefined);
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'later.css'), 'a{}');
  t.equal(String((await files!.serve('/console/later.css'))?.body), 'a{}');
});

t.test('the page makes no markup of text, and loads nothing from elsewhere', async (t) => {
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8');
    t.notMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/, name);
    t.notMatch(text.replace('http://www.w3.org/2000/svg', ''), /https?:\/\//, name);
    t.notMatch(text, /<script>|<style>| style="| on[a-z]+="/, `${name} holds to the content security policy`);
    t.notMatch(text, /localStorage|document\.cookie/, name);
  }
});

t.test('texts of the page', async (t) => {
  const path = './page/text.mjs';
  const { span, ago, took, plain, pretty, bytesOf } = (await import(path)) as Record<
    string,
    (...given: unknown[]) => unknown
  >;
  t.same(
    [0, 999, 1000, 61_000, 3_600_000, 3_840_000, 90_000_000].map((ms) => span!(ms)),
    ['0ms', '999ms', '1s', '1m 1s', '1h', '1h 4m', '1d 1h'],
  );
  const now = Date.parse('2026-11-21T10:00:00.000Z');
  t.equal(ago!('2026-11-21T09:59:00.000Z', now), '1m ago');
  t.equal(ago!('2026-11-21T10:00:05.000Z', now), 'now', 'a clock that runs ahead');
  t.equal(ago!('soon', now), '');
  t.equal(took!({}, now), '');
  t.equal(took!({ started_at: '2026-11-21T09:00:00.000Z' }, now), '1h');
  t.equal(took!({ started_at: '2026-11-21T09:00:00.000Z', finished_at: '2026-11-21T09:00:02.500Z' }, now), '2s');
  t.equal(plain!('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u001bM'), 'red x');
  t.equal(pretty!('a'), 'a');
  t.equal(pretty!({ a: 1 }), '{\n  "a": 1\n}');
  t.same([...(bytesOf!('AP8=') as Uint8Array)], [0, 255]);
});

t.test('server-sent events, however the bytes are cut', async (t) => {
  const path = './page/events.mjs';
  const { events } = (await import(path)) as { events(stream: AsyncIterable<Uint8Array>): AsyncIterable<unknown> };
  const whole = Buffer.from(
    ': hello\n\nid: 1\nevent: log\ndata: {"text":"é: 1"}\n\nid: 2\nevent: end\ndata: a\ndata: b\n\nevent: cut',
  );
  const expected = [
    { id: '1', event: 'log', data: '{"text":"é: 1"}' },
    { id: '2', event: 'end', data: 'a\nb' },
  ];
  for (const size of [1, 3, 7, 1000]) {
    async function* cut() {
      for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
    }
    const found: unknown[] = [];
    for await (const event of events(cut())) found.push(event);
    t.same(found, expected, `pieces of ${size}`);
  }
});
