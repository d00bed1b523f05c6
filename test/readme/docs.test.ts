import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { errorCodes } from '../../cli/commands/errors.ts';
import { loadCommands, loadVerbs } from '../../cli/tables.ts';
import { anchorOf } from '../../docs/site/anchors.ts';
import { buildSite, siteSources, topicsOf } from '../../docs/site/build.ts';
import { allPages, onSite, type Page, PICTURES } from '../../docs/site/pages.ts';
import { clone, packageVersion } from '../../features/support/target.ts';
import { onlyLong } from '../support/length.ts';
import { readOpenapi } from '../tools/openapi.ts';

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

t.test('a link of a file leads to a page, to another file, or is an error', async (t) => {
  const lead = (target: string) => onSite(`[words](${target})`, 'docs/start.md', new Map([['docs/cli.md', 'cli']]));
  t.equal(lead('cli.md#flags'), '[words](/cli#flags)');
  t.equal(lead('../package.json'), 'words');
  for (const target of ['clii.md', '../none', '../../package.json'])
    t.throws(() => lead(target), { message: `docs/start.md: the link to ${target} leads to nothing` }, target);
});

t.test('the site is built again when a picture or the icon has changed', async (t) => {
  const sources = siteSources();
  for (const file of [...Object.values(PICTURES), 'plugins/operations/console/web/public/icon.svg'])
    t.ok(sources.includes(join(clone, file)), file);
});

t.test('every page of docs/ is on the site, and begins with what a reader has at its end', async (t) => {
  const files = globSync('docs/{,tutorials/}*.md', { cwd: clone });
  t.ok(files.length > 30);
  for (const file of files) {
    t.ok(byPath.has(file.slice('docs/'.length, -'.md'.length)), file);
    t.match(readFileSync(join(clone, file), 'utf8'), /^# .+\n\n\*\*By the end of this page\*\*, you will /, file);
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
  const { paths } = (await readOpenapi()) as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  t.ok(operations.length > 100, `${operations.length} requests`);
  for (const { operationId } of operations) t.ok(requests.has(operationId.toLowerCase()), operationId);
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
  const files = globSync('**/*.html.br', { cwd: dist });
  t.ok(files.length > pages.length, `${files.length} files`);
  for (const file of files) {
    const html = String(brotliDecompressSync(readFileSync(join(dist, file))));
    t.notMatch(html, /<script(?![^>]*\ssrc="\/docs\/)|<style|<[^>]*\s(?:style|on[a-z]+)="/, file);
    t.notMatch(html, /<(?:script|link|img)\b[^>]*\s(?:src|href)="(?!\/docs\/|data:)/, file);
  }
  t.notOk(await buildSite(), 'a second build has nothing to do');
});
