import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { errorCodes } from '../../cli/commands/errors.ts';
import { loadCommands, loadVerbs } from '../../cli/tables.ts';
import { anchorOf } from '../../docs/site/anchors.ts';
import { buildSite, topicsOf } from '../../docs/site/build.ts';
import { allPages, type Page, PICTURES } from '../../docs/site/pages.ts';
import { clone, packageVersion } from '../../features/support/target.ts';
import { onlyLong } from '../support/length.ts';

/** The site of the documentation: its pages and links, without rendering them, and the whole of it in the long run. */
const pages = await allPages(packageVersion);
const byPath = new Map(pages.map((page) => [page.path, page]));

const withoutExamples = (markdown: string): string => markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** Headings of the same name are numbered from 1. */
function anchorsOf({ markdown }: Page): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutExamples(markdown).matchAll(/^#{1,6} (.+)$/gm)) {
    const own = anchorOf(heading);
    let name = own;
    for (let n = 1; anchors.has(name); n++) name = `${own}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

t.test('each link of a page leads to a page and to a heading of it', async (t) => {
  const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));
  let checked = 0;
  const broken = pages.flatMap((page) =>
    [...withoutExamples(page.markdown).matchAll(/(!?)\]\(([^)\s:]*)\)/g)]
      .map(([, , target = '']) => target)
      .filter((target) => {
        checked++;
        const [path = '', anchor] = target.split('#');
        if (path.startsWith('/images/')) return PICTURES[path.slice(1)] === undefined;
        const known = anchors.get(path === '' ? page.path : path.slice(1));
        return known === undefined || (anchor !== undefined && !known.has(anchor));
      })
      .map((target) => `${page.path}: ${target}`),
  );
  t.ok(checked > 800, `${checked} links`);
  t.same(broken, []);
});

t.test('every page of docs/ is on the site, and begins with what a reader has at its end', async (t) => {
  const files = globSync('docs/{,tutorials/}*.md', { cwd: clone });
  t.ok(files.length > 30);
  for (const file of files) {
    t.ok(byPath.has(file.slice('docs/'.length, -'.md'.length)), file);
    t.match(readFileSync(join(clone, file), 'utf8'), /^# .+\n\n\*\*At the end of this page\*\* you /, file);
  }
});

t.test('every command, verb, error code, request and connector has its heading', async (t) => {
  const headings = (under: string) =>
    new Set(pages.filter(({ path }) => path.startsWith(under)).flatMap((page) => [...anchorsOf(page)]));
  const commands = headings('cli/');
  for (const { name } of await loadCommands({})) t.ok(commands.has(anchorOf(`svc ${name}`)), name);
  for (const { verb } of await loadVerbs({})) t.ok(commands.has(anchorOf(`svc ${verb}`)), verb);
  const errors = headings('errors');
  for (const [code] of errorCodes()) t.ok(errors.has(code), code);
  const requests = headings('api/');
  for (const name of ['getrun', 'submitrun', 'listevents']) t.ok(requests.has(name), name);
  const catalogue = byPath.get('catalogue')!.markdown;
  for (const file of globSync('connectors/*/manifest.json', { cwd: clone }))
    t.ok(catalogue.includes(`(/catalogue/${file.split('/')[1]})`), file);
});

t.test('`svc docs` knows every page', async (t) => {
  const file = join(clone, 'cli/generated/topics.json');
  if (process.env.SVC_WRITE_README) writeFileSync(file, topicsOf(pages));
  t.equal(readFileSync(file, 'utf8'), topicsOf(pages), 'SVC_WRITE_README=1 node test/readme/docs.test.ts writes it');
});

t.test('the whole site is built, without anything that the server does not allow', onlyLong, async (t) => {
  await buildSite();
  const dist = join(clone, 'plugins/operations/docs/dist');
  const { brotliDecompressSync } = await import('node:zlib');
  for (const { path } of pages) t.ok(existsSync(join(dist, `${path}.html.br`)), path);
  for (const file of globSync('**/*.html.br', { cwd: dist })) {
    const html = String(brotliDecompressSync(readFileSync(join(dist, file))));
    t.notMatch(html, /<script(?![^>]*\ssrc="\/docs\/)|<style|\son[a-z]+="/, file);
    t.notMatch(html, /(?:src|href)="https?:\/\/[^"]*\.(?:js|css|woff2?|png)"/, file);
  }
  t.notOk(await buildSite(), 'a second build has nothing to do');
});
